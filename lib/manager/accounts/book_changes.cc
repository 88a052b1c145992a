// What a book of accounts is asked to change.

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "manager/accounts/book.h"
#include "records/accounts.h"
#include "records/queues.h"

namespace fq::manager {

using priority::Account;
using priority::AccountLimits;
using priority::Association;
using priority::Bank;

namespace {

/// Sums of shares stay exact.
constexpr double kMostShares = 1e9;

void check_name(std::string_view what, const std::string& name) {
  if (const std::string fault = priority::account_name_fault(what, name); !fault.empty())
    throw error(Kind::invalid, "{}: {}", quote(name), fault);
}

void check_shares(const std::optional<double>& shares) {
  if (!shares || (*shares >= 0 && *shares <= kMostShares)) return;
  throw error(Kind::invalid, "shares: expected a number from 0 to {:.0f}, got {}", kMostShares, *shares);
}

void apply_limits(const LimitEdits& edits, AccountLimits& limits) {
  for (const auto& [member, value] : edits) {
    if (value < AccountLimits::kNone || value > AccountLimits::kMost)
      throw error(Kind::invalid, "a limit is a number from 0 to {}, or -1 for none, not {}",
                  AccountLimits::kMost, value);
    limits.*member = value;
  }
}

bool has_used(const Account& account) {
  const priority::Usage::State& state = account.usage.state();
  const auto any = [](const priority::Amounts& amounts) {
    return std::any_of(amounts.begin(), amounts.end(), [](double amount) { return amount != 0; });
  };
  return any(state.total) || any(state.decayed) || any(state.held);
}

// What a new member is compared with.
Account nothing() {
  Account none;
  none.closed = true;
  return none;
}

}  // namespace

void AccountBook::add_bank(const BankEdit& edit) {
  check_name("bank", edit.name);
  check_shares(edit.shares);
  const bool is_root = edit.name == priority::kRootBank;
  const Bank* known = find_bank(edit.name);
  if (known != nullptr && !known->closed)
    throw error(Kind::refused, "bank {} exists already", quote(edit.name));
  Bank bank = known != nullptr ? *known : Bank{};
  const Account before = known != nullptr ? static_cast<const Account&>(*known) : nothing();
  bank.name = edit.name;
  bank.closed = false;
  bank.shares = edit.shares.value_or(1);
  apply_limits(edit.limits, bank.limits);
  if (is_root) {
    if (edit.parent && !edit.parent->empty()) throw error(Kind::invalid, "bank 'root' is part of no other");
  } else {
    const std::string parent = edit.parent.value_or(std::string{priority::kRootBank});
    static_cast<void>(require_bank(parent));
    if (known != nullptr && known->parent != parent)
      throw Error{Kind::refused,
                  fmt::format("bank {} was part of {}, and keeps what it used there", quote(edit.name),
                              quote(known->parent)),
                  "add it there, then move it with edit-bank"};
    bank.parent = parent;
    std::size_t depth = 1;
    for (const Bank* at = find_bank(parent); at != nullptr && !at->parent.empty(); at = find_bank(at->parent))
      ++depth;
    if (depth >= priority::kMaxBankDepth)
      throw error(Kind::refused, "banks may stand {} deep at the most", priority::kMaxBankDepth);
  }
  recount(bank.parent, before, bank);
  banks_[edit.name] = std::move(bank);
}

void AccountBook::edit_bank(const BankEdit& edit) {
  check_shares(edit.shares);
  Bank& bank = require_bank(edit.name);
  const Account before = bank;
  if (edit.shares) bank.shares = *edit.shares;
  apply_limits(edit.limits, bank.limits);
  recount(bank.parent, before, bank);
  if (edit.parent && *edit.parent != bank.parent) move(bank, *edit.parent);
}

void AccountBook::move(Bank& bank, const std::string& parent) {
  if (bank.parent.empty()) throw error(Kind::refused, "bank 'root' is part of no other");
  if (parent == bank.name) throw error(Kind::refused, "bank {} cannot be part of itself", quote(parent));
  load_all();
  std::size_t depth = 1;
  for (const Bank* at = &require_bank(parent); at != nullptr; at = find_bank(at->parent)) {
    if (at->name == bank.name)
      throw error(Kind::refused, "bank {} cannot be part of {}, which is part of it", quote(bank.name),
                  quote(parent));
    if (++depth > priority::kMaxBankDepth)
      throw error(Kind::refused, "banks may stand {} deep at the most", priority::kMaxBankDepth);
    if (at->parent.empty()) break;
  }
  recount(bank.parent, bank, nothing());
  bank.parent = parent;
  recount(bank.parent, nothing(), bank);
  sum_up();
}

void AccountBook::close(Association& association, InUse in_use) {
  const std::uint64_t active =
      records::active_jobs(change_.transaction(), association.bank, association.userid);
  if (active > 0 && in_use == InUse::refuse) {
    throw Error{Kind::refused,
                fmt::format("user {} has {} in bank {}", quote(association.user),
                            counted(active, "active job"), quote(association.bank)),
                "--force lets them end and takes no more"};
  }
  const Account before = association;
  association.closed = true;
  association.is_default = false;
  recount(association.bank, before, association);
  settle_default(association.userid);
}

void AccountBook::close(Bank& bank, InUse in_use) {
  if (bank.members > 0 && in_use == InUse::refuse) {
    throw Error{Kind::refused,
                fmt::format("there {} in bank {}",
                            bank.members == 1 ? "is a user or bank"
                                              : fmt::format("are {} users or banks", bank.members),
                            quote(bank.name)),
                "--force closes them, too"};
  }
  for (auto& [member, association] : members_) {
    if (association && association->bank == bank.name && !association->closed) close(*association, in_use);
  }
  for (auto& [name, child] : banks_) {
    if (child && child->parent == bank.name && !child->closed) close(*child, in_use);
  }
  const Account before = bank;
  bank.closed = true;
  recount(bank.parent, before, bank);
}

void AccountBook::delete_bank(const std::string& name, InUse in_use) {
  if (name == priority::kRootBank) throw Error{Kind::refused, "bank 'root' owns everything and stays"};
  static_cast<void>(require_bank(name));
  load_all();
  Bank& bank = require_bank(name);
  close(bank, in_use);
  const bool has_records =
      std::any_of(members_.begin(), members_.end(),
                  [&](const auto& each) { return each.second && each.second->bank == name; }) ||
      std::any_of(banks_.begin(), banks_.end(),
                  [&](const auto& each) { return each.second && each.second->parent == name; });
  if (!has_used(bank) && !has_records && bank.running == 0) banks_[name].reset();
}

void AccountBook::apply(const UserEdit& edit, Association& association) {
  if (edit.shares) association.shares = *edit.shares;
  if (edit.queues) association.queues = *edit.queues;
  if (edit.qos) association.qos = *edit.qos;
  if (edit.projects) association.projects = *edit.projects;
  if (edit.default_project) association.default_project = *edit.default_project;
  const std::vector<std::string>& projects = association.projects;
  const std::string& project = association.default_project;
  if (!project.empty() && !projects.empty() &&
      std::find(projects.begin(), projects.end(), project) == projects.end())
    throw Error{Kind::invalid,
                fmt::format("default project {} is not among the projects of user {} in bank {}",
                            quote(project), quote(association.user), quote(association.bank)),
                "these are " + join(projects, ", ")};
  apply_limits(edit.limits, association.limits);
}

void AccountBook::note_unknown(const UserEdit& edit) {
  const auto note = [&](std::string_view what, const std::vector<std::string>& names,
                        const std::vector<std::string>& known) {
    for (const std::string& name : names) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const std::string near = did_you_mean(name, known);
      std::string told = fmt::format("there is no {} {}{}", what, quote(name),
                                     near.empty() ? std::string{} : fmt::format(" ({})", near));
      if (std::find(unknown_.begin(), unknown_.end(), told) == unknown_.end())
        unknown_.push_back(std::move(told));
    }
  };
  const store::Reader& reader = change_.transaction();
  if (edit.queues && !edit.queues->empty()) note("queue", *edit.queues, change_.queues().names());
  if (edit.qos && !edit.qos->empty()) {
    std::vector<std::string> known;
    for (const document::QosConfig& each : records::read_qos(reader)) known.push_back(each.name);
    note("QoS", *edit.qos, known);
  }
  std::vector<std::string> projects = edit.projects.value_or(std::vector<std::string>{});
  if (!edit.default_project.value_or("").empty()) projects.push_back(*edit.default_project);
  if (projects.empty()) return;
  std::vector<std::string> known;
  for (const records::Project& each : records::read_projects(reader)) known.push_back(each.name);
  note("project", projects, known);
}

void AccountBook::choose_default(const std::string& user, const std::string& bank) {
  make_default(*chosen(user, bank).front());
}

void AccountBook::make_default(const Association& association) {
  for (Association* each : associations(association.userid))
    each->is_default = each->bank == association.bank;
}

void AccountBook::add_user(const UserEdit& edit) {
  check_name("user", edit.user);
  check_shares(edit.shares);
  static_cast<void>(require_bank(edit.bank));
  std::uint32_t userid = 0;
  const auto stored = find_user(edit.user);
  if (stored) {
    userid = *stored;
    if (edit.userid && *edit.userid != userid && priority::is_stand_in(userid)) {
      renumber(edit.user, *edit.userid);
      userid = *edit.userid;
    } else if (edit.userid && *edit.userid != userid) {
      throw Error{Kind::refused, fmt::format("user {} is number {} for accounts", quote(edit.user), userid),
                  "edit-user --userid gives another one"};
    }
  } else if (edit.userid) {
    userid = *edit.userid;
    if (priority::is_stand_in(userid)) throw error(Kind::invalid, "no user has the number {}", userid);
    if (const auto others = associations(userid); !others.empty())
      throw error(Kind::refused, "the number {} is that of user {}", userid, quote(others.front()->user));
  } else {
    if (next_stand_in_ == 0) next_stand_in_ = records::next_stand_in(change_.transaction());
    if (next_stand_in_ >= priority::kLastStandIn)
      throw error(Kind::refused, "there are too many users that this system does not know");
    userid = next_stand_in_++;
  }
  const Association* known = find_association({userid, edit.bank});
  if (known != nullptr && !known->closed)
    throw error(Kind::refused, "user {} is in bank {} already", quote(edit.user), quote(edit.bank));
  Association association = known != nullptr ? *known : Association{};
  const Account before = known != nullptr ? static_cast<const Account&>(*known) : nothing();
  note_unknown(edit);
  association.userid = userid;
  association.user = edit.user;
  association.bank = edit.bank;
  association.closed = false;
  association.shares = 1;
  apply(edit, association);
  const auto others = associations(userid);
  const bool is_first =
      std::none_of(others.begin(), others.end(), [](const Association* each) { return !each->closed; });
  recount(edit.bank, before, association);
  auto& placed = members_[{userid, edit.bank}] = std::move(association);
  if (!stored) new_users_[edit.user] = userid;
  if (is_first || edit.make_default) make_default(*placed);
  if (edit.default_bank) choose_default(edit.user, *edit.default_bank);
}

void AccountBook::edit_user(const UserEdit& edit) {
  check_shares(edit.shares);
  static_cast<void>(chosen(edit.user, edit.bank));
  note_unknown(edit);
  if (edit.userid) renumber(edit.user, *edit.userid);
  for (Association* each : chosen(edit.user, edit.bank)) {
    const Account before = *each;
    apply(edit, *each);
    recount(each->bank, before, *each);
    if (edit.make_default) make_default(*each);
    if (edit.core_seconds) {
      if (!(*edit.core_seconds >= 0) || std::isinf(*edit.core_seconds))
        throw error(Kind::invalid, "usage: expected core-seconds, 0 or more");
      priority::Usage::Shift by;
      by.decayed[0] = *edit.core_seconds - each->usage.at(change_.now(), change_.accounting().rate())[0];
      shift(*each, by, change_.now());
    }
    if (edit.decayed) {
      const priority::Amounts used = each->usage.at(change_.now(), change_.accounting().rate());
      priority::Usage::Shift by;
      for (std::size_t i = 0; i < used.size(); ++i) {
        const double wanted = (*edit.decayed)[i];
        if (!(wanted >= 0) || std::isinf(wanted))
          throw error(Kind::invalid, "usage: expected finite amounts, 0 or more");
        by.decayed[i] = wanted - used[i];
      }
      shift(*each, by, change_.now());
    }
  }
  if (edit.default_bank) choose_default(edit.user, *edit.default_bank);
}

void AccountBook::delete_user(const std::string& user, const std::string& bank, InUse in_use) {
  const std::uint32_t userid = require_user(user);
  for (Association* each : chosen(user, bank)) {
    close(*each, in_use);
    if (!has_used(*each) && each->running == 0) members_[{userid, each->bank}].reset();
  }
}

// Where the default bank is none any more the first one is it.
void AccountBook::settle_default(std::uint32_t userid) {
  const Association* first = nullptr;
  for (const Association* each : associations(userid)) {
    if (each->closed) continue;
    if (each->is_default) return;
    if (first == nullptr) first = each;
  }
  if (first != nullptr) make_default(*first);
}

void AccountBook::close_bank(const std::string& name) {
  if (name == priority::kRootBank) throw Error{Kind::refused, "bank 'root' owns everything and stays"};
  static_cast<void>(require_bank(name));
  load_all();
  close(require_bank(name), InUse::refuse);
}

void AccountBook::close_user(const std::string& user, const std::string& bank) {
  close(*chosen(user, bank).front(), InUse::refuse);
}

void AccountBook::renumber(const std::string& user, std::uint32_t userid) {
  const std::uint32_t before = require_user(user);
  if (before == userid) return;
  if (priority::is_stand_in(userid)) throw error(Kind::invalid, "no user has the number {}", userid);
  if (const auto others = associations(userid); !others.empty())
    throw error(Kind::refused, "the number {} is that of user {}", userid, quote(others.front()->user));
  for (const Association* each : associations(before)) {
    const std::uint64_t active = records::active_jobs(change_.transaction(), each->bank, before);
    if (active > 0)
      throw error(Kind::refused, "user {} has {} by the number {}", quote(user),
                  counted(active, "active job"), before);
  }
  for (const Association* each : associations(before)) {
    Association moved = *each;
    moved.userid = userid;
    const std::string bank = moved.bank;
    members_[{before, bank}].reset();
    members_[{userid, bank}] = std::move(moved);
  }
  new_users_[user] = userid;
}

// What banks have used is what those in them have used: anew, where these have moved.
void AccountBook::sum_up() {
  for (auto& [name, bank] : banks_) {
    if (!bank) continue;
    static_cast<priority::Use&>(*bank) = {};
  }
  for (auto& [member, association] : members_) {
    if (!association) continue;
    for (Bank* bank = find_bank(association->bank); bank != nullptr;
         bank = bank->parent.empty() ? nullptr : find_bank(bank->parent)) {
      bank->add(*association, change_.counted_at());
    }
  }
}

}  // namespace fq::manager
