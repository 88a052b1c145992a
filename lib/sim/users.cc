#include "sim/users.h"

#include <set>
#include <vector>

#include <fmt/core.h>

#include "request/accounts.h"

namespace fq::sim {
namespace {

constexpr std::uint32_t kNobody = 65534;
/// Users of the accounts that have no number get one from here up: none of a trace's.
constexpr std::uint32_t kFirstUnnumbered = 0xC0000000;

}  // namespace

Users::Users(const Trace& trace, const request::AccountTables& accounts) : accounts_(accounts) {
  std::map<std::string, std::uint32_t> by_name;
  std::map<std::uint32_t, std::string> by_number;
  std::vector<std::string> order;
  for (const request::PlacedUser& each : accounts.users) {
    const auto [at, is_new] = by_name.try_emplace(each.edit.user, 0);
    if (is_new) order.push_back(each.edit.user);
    if (each.edit.userid) at->second = *each.edit.userid;
  }
  std::uint32_t next = kFirstUnnumbered;
  for (const std::string& name : order) {
    std::uint32_t& number = by_name[name];
    if (number == 0) number = next++;
    by_number.emplace(number, name);
  }
  for (request::PlacedUser& each : accounts_.users) each.edit.userid = by_name[each.edit.user];

  std::set<std::int64_t> users;
  for (const TraceJob& job : trace.jobs) users.insert(job.user);
  const std::map<std::int64_t, std::string> named(trace.names.begin(), trace.names.end());
  std::set<std::string> taken;
  std::vector<std::int64_t> strangers;
  const auto become = [&](std::int64_t user, std::uint32_t number, const std::string& name) {
    auto names = std::make_shared<process::Names>();
    names->user = name;
    if (const auto in = trace.groups.find(user); in != trace.groups.end())
      names->groups.assign(in->second.begin(), in->second.end());
    credentials_[user] = {number, number, std::move(names)};
  };
  for (const std::int64_t user : users) {
    const auto name = named.find(user);
    const auto known = user < 0 ? by_number.end() : by_number.find(static_cast<std::uint32_t>(user));
    if (name != named.end()) {
      names_[user] = name->second;
      const auto found = by_name.find(name->second);
      become(user, found == by_name.end() ? static_cast<std::uint32_t>(user) : found->second, name->second);
      taken.insert(name->second);
    } else if (known != by_number.end()) {
      names_[user] = known->second;
      become(user, known->first, known->second);
      taken.insert(known->second);
    } else {
      strangers.push_back(user);
    }
  }
  auto free = order.begin();
  for (const std::int64_t user : strangers) {
    while (free != order.end() && taken.contains(*free)) ++free;
    if (user >= 0 && free != order.end()) {
      names_[user] = *free;
      become(user, by_name[*free], *free);
      ++free;
    } else {
      const std::uint32_t number = user < 0 ? kNobody : static_cast<std::uint32_t>(user);
      become(user, number, fmt::format("{}", number));
    }
  }
}

}  // namespace fq::sim
