// Banks, users in them and projects of a store. Truth: each change is also an event in instance.eventlog, and
// what was used is kept here and nowhere else. A store has accounts once it has the bank `root`.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "priority/account.h"
#include "priority/accounting.h"
#include "store/transaction.h"

namespace fq::records {

[[nodiscard]] bool has_accounts(const store::Reader& reader);
/// How the loaded configuration has usage counted.
[[nodiscard]] priority::Accounting read_accounting(const store::Reader& reader);

[[nodiscard]] std::optional<priority::Bank> find_bank(const store::Reader& reader, std::string_view name);
/// Error{not_found} `bank 'phsics' does not exist`, with a near match among those that are open as hint.
[[nodiscard]] Error no_such_bank(const store::Reader& reader, std::string_view name);
/// By name, closed ones included.
[[nodiscard]] std::vector<priority::Bank> read_banks(const store::Reader& reader);
/// The bank, what it is part of, and so on up to the root; nothing where it does not exist.
[[nodiscard]] std::vector<priority::Bank> banks_above(const store::Reader& reader, std::string_view bank);

[[nodiscard]] std::optional<priority::Association> find_association(const store::Reader& reader,
                                                                    std::uint32_t userid,
                                                                    std::string_view bank);
/// Of one user, by bank, closed ones included.
[[nodiscard]] std::vector<priority::Association> associations_of(const store::Reader& reader,
                                                                 std::uint32_t userid);
/// The one that jobs without a bank are charged to: the user's default, else the first.
[[nodiscard]] const priority::Association* default_among(const std::vector<priority::Association>& of_user);
/// Of all users, by number and bank.
[[nodiscard]] std::vector<priority::Association> read_associations(const store::Reader& reader);

/// The number that accounts know the user by, perhaps a stand-in.
[[nodiscard]] std::optional<std::uint32_t> find_user(const store::Reader& reader, std::string_view user);
void write_user(store::Transaction& transaction, std::string_view user, std::uint32_t userid);
void erase_user(store::Transaction& transaction, std::string_view user);
/// A stand-in that nobody has.
[[nodiscard]] std::uint32_t next_stand_in(const store::Reader& reader);

void write(store::Transaction& transaction, const priority::Bank& bank);
void write(store::Transaction& transaction, const priority::Association& association);
void erase(store::Transaction& transaction, const priority::Bank& bank);
void erase(store::Transaction& transaction, const priority::Association& association);

struct Project {
  std::string name, description;
};
/// By name.
[[nodiscard]] std::vector<Project> read_projects(const store::Reader& reader);
[[nodiscard]] std::optional<Project> find_project(const store::Reader& reader, std::string_view name);
/// Throws Error{not_found} `project 'lasr' does not exist`, with a near match as hint.
[[nodiscard]] Project require_project(const store::Reader& reader, std::string_view name);
void write_project(store::Transaction& transaction, const Project& project);
void erase_project(store::Transaction& transaction, std::string_view name);

/// Jobs charged to a bank, by all users or one, that have not ended. Counted by records/job_table.
[[nodiscard]] std::uint64_t active_jobs(const store::Reader& reader, std::string_view bank);
[[nodiscard]] std::uint64_t active_jobs(const store::Reader& reader, std::string_view bank,
                                        std::uint32_t userid);

}  // namespace fq::records
