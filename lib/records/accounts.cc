#include "records/accounts.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "records/account_record.h"
#include "records/keys.h"

namespace fq::records {

using priority::Association;
using priority::Bank;
using store::Family;

bool has_accounts(const store::Reader& reader) {
  return reader.get(Family::instance, key::bank(priority::kRootBank)).has_value();
}

priority::Accounting read_accounting(const store::Reader& reader) {
  return priority::decode_accounting(reader.get(Family::instance, key::kAccounting).value_or(""));
}

std::optional<Bank> find_bank(const store::Reader& reader, std::string_view name) {
  const std::string k = key::bank(name);
  const auto bytes = reader.get(Family::instance, k);
  if (!bytes) return std::nullopt;
  return decode_bank(k, *bytes);
}

Error no_such_bank(const store::Reader& reader, std::string_view name) {
  std::vector<std::string> open;
  for (const Bank& bank : read_banks(reader)) {
    if (!bank.closed) open.push_back(bank.name);
  }
  return {Kind::not_found, fmt::format("bank {} does not exist", quote(name)), did_you_mean(name, open)};
}

std::vector<Bank> read_banks(const store::Reader& reader) {
  std::vector<Bank> banks;
  for (const auto at = reader.scan_prefix(Family::instance, key::kBankPrefix); at->valid(); at->next())
    banks.push_back(decode_bank(at->key(), at->value()));
  return banks;
}

std::vector<Bank> banks_above(const store::Reader& reader, std::string_view bank) {
  std::vector<Bank> way;
  std::string name{bank};
  while (!name.empty() && way.size() <= priority::kMaxBankDepth) {
    auto found = find_bank(reader, name);
    if (!found) return {};
    name = found->parent;
    way.push_back(*std::move(found));
  }
  if (!name.empty()) throw error(Kind::unavailable, "the banks above {} have no end", quote(bank));
  return way;
}

std::optional<Association> find_association(const store::Reader& reader, std::uint32_t userid,
                                            std::string_view bank) {
  const std::string k = key::association(userid, bank);
  const auto bytes = reader.get(Family::instance, k);
  if (!bytes) return std::nullopt;
  return decode_association(k, *bytes);
}

namespace {

std::vector<Association> with_prefix(const store::Reader& reader, std::string_view prefix) {
  std::vector<Association> all;
  for (const auto at = reader.scan_prefix(Family::instance, prefix); at->valid(); at->next())
    all.push_back(decode_association(at->key(), at->value()));
  return all;
}

}  // namespace

std::vector<Association> associations_of(const store::Reader& reader, std::uint32_t userid) {
  return with_prefix(reader, key::associations(userid));
}

const Association* default_among(const std::vector<Association>& of_user) {
  const Association* chosen = nullptr;
  for (const Association& each : of_user) {
    if (!each.closed && (chosen == nullptr || each.is_default)) chosen = &each;
  }
  return chosen;
}

std::vector<Association> read_associations(const store::Reader& reader) {
  return with_prefix(reader, key::kAssociationPrefix);
}

std::optional<std::uint32_t> find_user(const store::Reader& reader, std::string_view user) {
  const auto text = reader.get(Family::instance, key::user_name(user));
  if (!text) return std::nullopt;
  return static_cast<std::uint32_t>(parse_u64(*text).value_or(0));
}

void write_user(store::Transaction& transaction, std::string_view user, std::uint32_t userid) {
  transaction.put(Family::instance, key::user_name(user), fmt::format("{}", userid));
}

void erase_user(store::Transaction& transaction, std::string_view user) {
  transaction.erase(Family::instance, key::user_name(user));
}

std::uint32_t next_stand_in(const store::Reader& reader) {
  // The last association has the highest number: stand-ins are higher than what systems give.
  const auto last = reader.last_keys(Family::instance, key::kAssociationPrefix, 1);
  const std::uint32_t highest = last.empty() ? 0 : key::associated_user(last.front());
  if (highest < priority::kFirstStandIn) return priority::kFirstStandIn;
  if (highest >= priority::kLastStandIn)
    throw error(Kind::refused, "there are too many users that this system does not know");
  return highest + 1;
}

void write(store::Transaction& transaction, const Bank& bank) {
  transaction.put(Family::instance, key::bank(bank.name), encode(bank));
}

void write(store::Transaction& transaction, const Association& association) {
  transaction.put(Family::instance, key::association(association.userid, association.bank),
                  encode(association));
}

void erase(store::Transaction& transaction, const Bank& bank) {
  transaction.erase(Family::instance, key::bank(bank.name));
}

void erase(store::Transaction& transaction, const Association& association) {
  transaction.erase(Family::instance, key::association(association.userid, association.bank));
}

std::vector<Project> read_projects(const store::Reader& reader) {
  std::vector<Project> projects;
  for (const auto at = reader.scan_prefix(Family::instance, key::kProjectPrefix); at->valid(); at->next())
    projects.push_back({std::string{at->key().substr(key::kProjectPrefix.size())}, std::string{at->value()}});
  return projects;
}

std::optional<Project> find_project(const store::Reader& reader, std::string_view name) {
  auto description = reader.get(Family::instance, key::project(name));
  if (!description) return std::nullopt;
  return Project{std::string{name}, *std::move(description)};
}

Project require_project(const store::Reader& reader, std::string_view name) {
  if (auto project = find_project(reader, name)) return *std::move(project);
  std::vector<std::string> known;
  for (const Project& each : read_projects(reader)) known.push_back(each.name);
  const std::string near = did_you_mean(name, known);
  throw Error{Kind::not_found, fmt::format("project {} does not exist", quote(name)),
              near.empty() && !known.empty() ? "fq account list-projects" : near};
}

void write_project(store::Transaction& transaction, const Project& project) {
  transaction.put(Family::instance, key::project(project.name), project.description);
}

void erase_project(store::Transaction& transaction, std::string_view name) {
  transaction.erase(Family::instance, key::project(name));
}

namespace {

std::uint64_t active_with(const store::Reader& reader, const std::string& prefix) {
  std::uint64_t sum = 0;
  for (const auto at = reader.scan_prefix(Family::instance, prefix); at->valid(); at->next())
    sum += parse_u64(at->value()).value_or(0);
  return sum;
}

}  // namespace

std::uint64_t active_jobs(const store::Reader& reader, std::string_view bank) {
  return active_with(reader, key::active_jobs(bank));
}

std::uint64_t active_jobs(const store::Reader& reader, std::string_view bank, std::uint32_t userid) {
  return active_with(reader, key::active_jobs(bank, userid));
}

}  // namespace fq::records
