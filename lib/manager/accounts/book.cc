#include "manager/accounts/book.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "records/accounts.h"

namespace fq::manager {

using priority::Account;
using priority::AccountLimits;
using priority::Association;
using priority::Bank;

Bank* AccountBook::find_bank(const std::string& name) {
  auto known = banks_.find(name);
  if (known == banks_.end())
    known = banks_.emplace(name, records::find_bank(change_.transaction(), name)).first;
  return known->second ? &*known->second : nullptr;
}

Bank& AccountBook::require_bank(const std::string& name) {
  Bank* bank = find_bank(name);
  if (bank != nullptr && !bank->closed) return *bank;
  if (bank == nullptr && name == priority::kRootBank) {
    Bank root;
    root.name = name;
    return *(banks_[name] = std::move(root));
  }
  throw records::no_such_bank(change_.transaction(), name);
}

Association* AccountBook::find_association(const Member& member) {
  auto known = members_.find(member);
  if (known == members_.end()) {
    known =
        members_
            .emplace(member, records::find_association(change_.transaction(), member.first, member.second))
            .first;
  }
  return known->second ? &*known->second : nullptr;
}

std::optional<std::uint32_t> AccountBook::find_user(const std::string& user) const {
  const auto is_new = new_users_.find(user);
  if (is_new != new_users_.end()) return is_new->second;
  return records::find_user(change_.transaction(), user);
}

bool AccountBook::has_bank(const std::string& name) {
  const Bank* bank = find_bank(name);
  return bank != nullptr && !bank->closed;
}

bool AccountBook::has_user(const std::string& user, const std::string& bank) {
  const auto userid = find_user(user);
  const Association* association = userid ? find_association({*userid, bank}) : nullptr;
  return association != nullptr && !association->closed;
}

std::uint32_t AccountBook::require_user(const std::string& user) {
  if (const auto known = find_user(user)) return *known;
  std::vector<std::string> names;
  for (const Association& each : records::read_associations(change_.transaction()))
    names.push_back(each.user);
  throw Error{Kind::not_found, fmt::format("user {} is in no bank", quote(user)), did_you_mean(user, names)};
}

bool AccountBook::is_known(const std::string& user) {
  return !priority::is_stand_in(require_user(user));
}

std::vector<Association*> AccountBook::associations(std::uint32_t userid) {
  for (Association& each : records::associations_of(change_.transaction(), userid))
    members_.try_emplace({userid, each.bank}, std::move(each));
  std::vector<Association*> all;
  for (auto at = members_.lower_bound({userid, ""}); at != members_.end() && at->first.first == userid;
       ++at) {
    if (at->second) all.push_back(&*at->second);
  }
  return all;
}

std::vector<Association*> AccountBook::chosen(const std::string& user, const std::string& bank) {
  const std::uint32_t userid = require_user(user);
  std::vector<Association*> all = associations(userid);
  std::erase_if(
      all, [&](const Association* each) { return each->closed || (!bank.empty() && each->bank != bank); });
  if (!all.empty()) return all;
  if (bank.empty()) throw error(Kind::not_found, "user {} is in no bank", quote(user));
  static_cast<void>(require_bank(bank));
  throw error(Kind::not_found, "user {} is not in bank {}", quote(user), quote(bank));
}

void AccountBook::recount(const std::string& bank, const Account& before, const Account& after) {
  if (bank.empty()) return;
  Bank* parent = find_bank(bank);
  parent->members += static_cast<std::uint32_t>(!after.closed) - static_cast<std::uint32_t>(!before.closed);
  parent->member_shares += after.claim() - before.claim();
  if (parent->members == 0) parent->member_shares = 0;
}

void AccountBook::shift(Association& association, const priority::Usage::Shift& by, double used_at) {
  association.shift(by, used_at, change_.counted_at());
  for (Bank* bank = find_bank(association.bank); bank != nullptr;
       bank = bank->parent.empty() ? nullptr : find_bank(bank->parent)) {
    bank->shift(by, used_at, change_.counted_at());
  }
}

void AccountBook::charge(const ManualCharge& charge) {
  const bool finite =
      std::isfinite(charge.at) && std::all_of(charge.amounts.begin(), charge.amounts.end(),
                                              [](double amount) { return std::isfinite(amount); });
  if (!finite) throw Error{Kind::invalid, "what is charged is a finite amount at a time"};
  if (charge.at > change_.now()) throw Error{Kind::refused, "what is used in the future cannot be charged"};
  Association& association = *chosen(charge.user, charge.bank).front();
  const auto by =
      association.usage.shift_of(charge.amounts, charge.at, change_.now(), change_.accounting().rate());
  shift(association, by, charge.at);
  records::TallyKey key;
  key.hour = records::hour_of(charge.at);
  key.userid = association.userid;
  key.bank = association.bank;
  key.size = records::kNoSize;
  tallies_.emplace_back(std::move(key), records::Tally{0, by.total});
}

void AccountBook::clear_usage(const std::string& bank) {
  static_cast<void>(require_bank(bank));
  load_all();
  const auto is_below = [&](std::string name) {
    while (name != bank) {
      const Bank* of = find_bank(name);
      if (of == nullptr || of->parent.empty()) return false;
      name = of->parent;
    }
    return true;
  };
  for (auto& [member, association] : members_) {
    if (!association || !is_below(association->bank)) continue;
    priority::Usage::Shift by;
    const priority::Amounts used = association->usage.at(change_.now(), change_.accounting().rate());
    for (std::size_t i = 0; i < used.size(); ++i) by.decayed[i] = -used[i];
    shift(*association, by, change_.now());
  }
}

void AccountBook::load_all() {
  if (std::exchange(all_loaded_, true)) return;
  for (Bank& bank : records::read_banks(change_.transaction())) {
    const std::string name = bank.name;
    banks_.try_emplace(name, std::move(bank));
  }
  for (Association& each : records::read_associations(change_.transaction())) {
    const Member member{each.userid, each.bank};
    members_.try_emplace(member, std::move(each));
  }
}

void AccountBook::write() {
  store::Transaction& transaction = change_.transaction();
  for (const auto& [name, bank] : banks_) {
    if (bank) {
      records::write(transaction, *bank);
    } else if (records::find_bank(transaction, name)) {
      Bank gone;
      gone.name = name;
      records::erase(transaction, gone);
    }
  }
  for (const auto& [member, association] : members_) {
    if (association) {
      records::write(transaction, *association);
      continue;
    }
    const auto stored = records::find_association(transaction, member.first, member.second);
    if (!stored) continue;
    records::erase(transaction, *stored);
    if (records::associations_of(transaction, member.first).empty() &&
        records::find_user(transaction, stored->user) == member.first)
      records::erase_user(transaction, stored->user);
  }
  for (const auto& [key, tally] : tallies_) records::add_tally(transaction, key, tally);
  tallies_.clear();
  for (const auto& [user, userid] : new_users_) records::write_user(transaction, user, userid);
  change_.forget_accounts();
}

}  // namespace fq::manager
