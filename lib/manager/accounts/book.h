// The book of accounts while one transaction changes it: banks, users in them, projects, and what is charged
// by hand. Whoever opens it writes it; what it holds is not seen elsewhere before that. Who may change it is
// asked by the requests (manager/accounts/edit.h).

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manager/core/change.h"
#include "priority/account.h"
#include "priority/accounting.h"
#include "records/tallies.h"
#include "request/accounts.h"

namespace fq::manager {

using request::BankEdit;
using request::InUse;
using request::LimitEdits;
using request::ManualCharge;
using request::UserEdit;

class AccountBook {
 public:
  explicit AccountBook(Change& change) : change_(change) {}

  // Each throws Error{invalid} for a name or number that cannot be, Error{not_found} for what there is not,
  // with a near match as hint, Error{refused} for what there is already.

  /// The first bank makes the root. One that was closed is opened again, with what it has used.
  void add_bank(const BankEdit& edit);
  void edit_bank(const BankEdit& edit);
  /// Keeps the record, closed, where something was used.
  void delete_bank(const std::string& name, InUse in_use);
  void add_user(const UserEdit& edit);
  /// In all banks that the user is in, where `bank` is empty.
  void edit_user(const UserEdit& edit);
  /// From all banks, where `bank` is empty.
  void delete_user(const std::string& user, const std::string& bank, InUse in_use);
  void add_project(const std::string& name, const std::string& description = {});
  void edit_project(const std::string& name, const std::string& description);
  /// Where users in banks have it among their projects it is refused, or taken from these.
  void delete_project(const std::string& name, InUse in_use = InUse::refuse);
  /// Closes what a table says was deleted; the record stays. Throws Error{refused} where jobs are active.
  void close_bank(const std::string& name);
  void close_user(const std::string& user, const std::string& bank);
  void charge(const ManualCharge& charge);
  /// What counts as used by all in the bank is nothing now; what was used in all stays.
  void clear_usage(const std::string& bank);
  /// The user has this number from now on. Throws Error{refused} where another user has it, or jobs of the
  /// old number are active.
  void renumber(const std::string& user, std::uint32_t userid);
  /// Whether there is such a bank, or a user in it, that is not closed.
  [[nodiscard]] bool has_bank(const std::string& name);
  [[nodiscard]] bool has_user(const std::string& user, const std::string& bank);
  /// Whether the system knows the user: the number is not a stand-in.
  [[nodiscard]] bool is_known(const std::string& user);
  /// Of the queues, qualities of service and projects that users were allowed: those that there are not, a
  /// sentence each, with a near match. They may come yet.
  [[nodiscard]] const std::vector<std::string>& unknown_names() const { return unknown_; }

  /// Puts what has changed into the transaction.
  void write();

 private:
  using Member = std::pair<std::uint32_t, std::string>;
  priority::Bank& require_bank(const std::string& name);
  priority::Bank* find_bank(const std::string& name);
  priority::Association* find_association(const Member& member);
  [[nodiscard]] std::optional<std::uint32_t> find_user(const std::string& user) const;
  [[nodiscard]] std::uint32_t require_user(const std::string& user);
  [[nodiscard]] std::vector<priority::Association*> associations(std::uint32_t userid);
  /// Those that a request is about: in one bank, or in all.
  [[nodiscard]] std::vector<priority::Association*> chosen(const std::string& user, const std::string& bank);
  /// What a child counts for changes by the second less the first.
  void recount(const std::string& bank, const priority::Account& before, const priority::Account& after);
  void move(priority::Bank& bank, const std::string& parent);
  void apply(const UserEdit& edit, priority::Association& association);
  void note_unknown(const UserEdit& edit);
  /// The bank of the user's jobs that name none. Throws Error{not_found} where the user is not in it.
  void choose_default(const std::string& user, const std::string& bank);
  void make_default(const priority::Association& association);
  void close(priority::Association& association, InUse in_use);
  void settle_default(std::uint32_t userid);
  void close(priority::Bank& bank, InUse in_use);
  void shift(priority::Association& association, const priority::Usage::Shift& by, double used_at);
  void load_all();
  void sum_up();

  Change& change_;
  std::map<std::string, std::optional<priority::Bank>> banks_;
  std::map<Member, std::optional<priority::Association>> members_;
  std::map<std::string, std::uint32_t> new_users_;
  std::vector<std::pair<records::TallyKey, records::Tally>> tallies_;  ///< charged by hand
  std::vector<std::string> unknown_;
  std::uint32_t next_stand_in_ = 0;
  bool all_loaded_ = false;
};

}  // namespace fq::manager
