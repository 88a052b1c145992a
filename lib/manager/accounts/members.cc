#include "manager/accounts/members.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "manager/accounts/book.h"
#include "manager/core/access.h"
#include "records/accounts.h"
#include "records/limited_uses.h"

namespace fq::manager {

using priority::Association;
using priority::Bank;

namespace {

std::vector<Association> open_associations(Change& change, std::uint32_t userid) {
  std::vector<Association> all = records::associations_of(change.transaction(), userid);
  std::erase_if(all, [](const Association& each) { return each.closed; });
  return all;
}

std::vector<std::string> bank_names(const std::vector<Association>& all) {
  std::vector<std::string> names;
  for (const Association& each : all) names.push_back(each.bank);
  return names;
}

// Of a user whom nobody has added by number: who was added by name before the system knew that user has a
// stand-in for a number until now, others may be taken in.
std::vector<Association> adopt(Change& change, std::uint32_t userid) {
  const std::string user = user_name(change, userid);
  AccountBook book(change);
  if (const auto known = records::find_user(change.transaction(), user)) {
    if (*known == userid) return {};
    if (!priority::is_stand_in(*known)) {
      throw Error{Kind::permission,
                  fmt::format("user {} is number {} for accounts, not {}", quote(user), *known, userid),
                  fmt::format("fq account edit-user {} --userid={}", user, userid)};
    }
    book.renumber(user, userid);
  } else {
    const std::string bank = records::read_accounting(change.transaction()).default_bank;
    const auto found = bank.empty() ? std::nullopt : records::find_bank(change.transaction(), bank);
    if (found && !found->closed) {
      UserEdit edit;
      edit.user = user;
      edit.bank = bank;
      edit.userid = userid;
      book.add_user(edit);
    }
  }
  book.write();
  return open_associations(change, userid);
}

void require_project(const store::Reader& reader, const std::string& project) {
  if (project.empty() || records::find_project(reader, project) || records::read_projects(reader).empty())
    return;
  static_cast<void>(records::require_project(reader, project));
}

void require_bank(const store::Reader& reader, const std::string& name) {
  const auto bank = records::find_bank(reader, name);
  if (bank && !bank->closed) return;
  throw records::no_such_bank(reader, name);
}

}  // namespace

std::optional<Association> charged_association(Change& change, std::uint32_t userid,
                                               const document::Jobspec& requested) {
  if (!change.has_accounts()) return std::nullopt;
  const store::Reader& reader = change.transaction();
  require_project(reader, requested.project());
  const std::string& wanted = requested.bank();
  if (!wanted.empty()) require_bank(reader, wanted);
  std::vector<Association> all = open_associations(change, userid);
  if (all.empty() && userid == change.caller().uid) all = adopt(change, userid);
  if (all.empty()) {
    const std::string user = quote(user_name(change, userid));
    throw Error{Kind::permission, fmt::format("user {} is in no bank", user), "fq account add-user"};
  }
  if (wanted.empty()) return *records::default_among(all);
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Association& each) { return each.bank == wanted; });
  if (found != all.end()) return *found;
  const std::vector<std::string> names = bank_names(all);
  const std::string near = did_you_mean(wanted, names);
  throw Error{Kind::permission,
              fmt::format("user {} is not in bank {}", quote(all.front().user), quote(wanted)),
              near.empty() ? fmt::format("but in {}", join(names, ", ")) : near};
}

void require_associated_queue(const Association& association, std::string_view queue) {
  const std::vector<std::string>& allowed = association.queues;
  if (allowed.empty() || queue.empty()) return;
  if (std::find(allowed.begin(), allowed.end(), queue) != allowed.end()) return;
  throw Error{Kind::permission,
              fmt::format("user {} may not use queue {} in bank {}", quote(association.user), quote(queue),
                          quote(association.bank)),
              "but " + join(allowed, ", ")};
}

void require_associated_project(const Association& association, std::string_view project) {
  const std::vector<std::string>& allowed = association.projects;
  if (allowed.empty() || project.empty()) return;
  if (std::find(allowed.begin(), allowed.end(), project) != allowed.end()) return;
  throw Error{Kind::permission,
              fmt::format("user {} may not name project {} in bank {}", quote(association.user),
                          quote(project), quote(association.bank)),
              "but " + join(allowed, ", ")};
}

std::string default_project(const store::Reader& reader, const Association& association) {
  const std::string& project = association.default_project;
  if (project.empty() || records::find_project(reader, project)) return project;
  return records::read_projects(reader).empty() ? project : std::string{};
}

namespace {

// Jobs that are to be added to what has limits.
struct ExpectedJobs {
  std::map<std::string, std::uint64_t> by_name;
};

template <typename Who>
void require_room(std::uint64_t active, std::uint64_t more, std::int64_t most, const Who& who) {
  if (most == priority::AccountLimits::kNone || active + more <= static_cast<std::uint64_t>(most)) return;
  throw error(Kind::refused, "{} has {} {}, at most {} may be active", who(), counted(active, "active job"),
              more == 1 ? "already" : fmt::format("and {} more would come", more), most);
}

// A holder of limits, with the name of the user where it is one.
std::string named_holder(Change& change, const std::string& holder,
                         const std::optional<Association>& association, std::uint32_t userid) {
  constexpr std::string_view kIts = "its user";
  if (!holder.starts_with(kIts)) return holder;
  return fmt::format("user {}{}", quote(association ? association->user : user_name(change, userid)),
                     holder.substr(kIts.size()));
}

// Jobs of a bank and of all that are part of it.
std::uint64_t active_below(const store::Reader& reader, const std::string& bank) {
  std::uint64_t sum = records::active_jobs(reader, bank);
  for (const Bank& each : records::read_banks(reader)) {
    if (each.parent == bank) sum += active_below(reader, each.name);
  }
  return sum;
}

}  // namespace

void require_room_for_jobs(Change& change, const std::optional<Association>& association,
                           const job::Job& facts, std::uint64_t jobs) {
  const store::Reader& reader = change.transaction();
  const auto require = [&](const std::string& who, std::int64_t most, const auto& active) {
    if (most != priority::AccountLimits::kNone)
      require_room(active(), change.kept<ExpectedJobs>().by_name[who] += jobs, most,
                   [&] { return named_holder(change, who, association, facts.userid); });
  };
  for (const records::LimitedUse& limited :
       change.limited_uses().of({facts.queue, facts.qos, facts.userid, facts.bank})) {
    records::ActiveFilter filter{{}, facts.bank, {}, {}};
    if (limited.of_one_user) filter.userid = facts.userid;
    if (limited.in_queue) {
      filter.queue = facts.queue;
    } else {
      filter.qos = facts.qos.empty() ? "normal" : facts.qos;
    }
    require(limited.name, limited.limits.active_jobs, [&] { return records::count_active(reader, filter); });
  }
  if (!association) return;
  require(fmt::format("user {} in bank {}", quote(association->user), quote(association->bank)),
          association->limits.active_jobs,
          [&] { return records::active_jobs(reader, association->bank, association->userid); });
  for (const Bank& bank : records::banks_above(reader, association->bank)) {
    require(fmt::format("bank {}", quote(bank.name)), bank.limits.active_jobs,
            [&] { return active_below(reader, bank.name); });
  }
}

bool is_granted_qos(Change& change, std::string_view bank, std::string_view qos) {
  if (!change.has_accounts()) return false;
  const std::vector<Association> all = open_associations(change, change.caller().uid);
  return std::any_of(all.begin(), all.end(), [&](const Association& each) {
    return (bank.empty() || each.bank == bank) &&
           std::find(each.qos.begin(), each.qos.end(), qos) != each.qos.end();
  });
}

}  // namespace fq::manager
