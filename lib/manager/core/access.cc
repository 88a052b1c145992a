#include "manager/core/access.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "manager/accounts/members.h"
#include "manager/core/caller_names.h"
#include "manager/core/permission.h"
#include "priority/scheme.h"
#include "records/queues.h"

namespace fq::manager {

namespace {

bool contains(const std::optional<std::vector<std::string>>& list, const std::string& name) {
  return list && std::find(list->begin(), list->end(), name) != list->end();
}

using NameList = std::optional<std::vector<std::string>>;

// Whether the caller, or a group of it, is on one of the lists.
bool is_listed(Change& change, const NameList& users, const NameList& groups) {
  const process::Names& names = caller_names(change.caller());
  return contains(users, names.user) ||
         std::any_of(names.groups.begin(), names.groups.end(),
                     [&](const std::string& group) { return contains(groups, group); });
}

}  // namespace

std::string user_name(Change& change, std::uint32_t userid) {
  if (userid != change.caller().uid) return std::to_string(userid);
  return caller_names(change.caller()).user;
}

void require_queue_access(Change& change, const document::QueueConfig& queue) {
  const document::QueuePolicy& policy = queue.policy;
  if (!policy.allow_user && !policy.allow_group) return;
  if (is_listed(change, policy.allow_user, policy.allow_group)) return;
  const std::string& user = change.caller().names->user;
  if (queue.name.empty()) throw error(Kind::permission, "user {} may not submit jobs", quote(user));
  throw error(Kind::permission, "user {} may not use queue {}", quote(user), quote(queue.name));
}

void require_qos(Change& change, std::string_view qos, std::string_view bank) {
  if (qos.empty() || qos == priority::kNormal) return;
  const std::vector<document::QosConfig> all = records::read_qos(change.transaction());
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const document::QosConfig& each) { return each.name == qos; });
  if (found == all.end()) {
    std::vector<std::string> known;
    for (const document::QosConfig& each : all) known.push_back(each.name);
    const std::string near = did_you_mean(qos, known);
    throw Error{Kind::not_found, fmt::format("QoS {} does not exist", quote(qos)),
                near.empty() ? "one of " + join(known, ", ") : near};
  }
  const bool listed = found->allow_user || found->allow_group;
  if ((!listed && !found->granted) || is_operator(change)) return;
  if (is_granted_qos(change, bank, qos)) return;
  if (!listed)
    throw error(Kind::permission, "QoS {} is reserved for {}", quote(qos),
                operators_text(change.transaction()));
  if (!is_listed(change, found->allow_user, found->allow_group))
    throw error(Kind::permission, "user {} may not use QoS {}", quote(change.caller().names->user),
                quote(qos));
}

}  // namespace fq::manager
