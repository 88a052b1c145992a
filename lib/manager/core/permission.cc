#include "manager/core/permission.h"

#include "base/error.h"
#include "records/instance.h"

namespace fq::manager {

bool is_owner(const Credential& caller, std::uint32_t owner) {
  constexpr std::uint32_t kRoot = 0;
  return caller.uid == owner || caller.uid == kRoot;
}

void require_owner(const Credential& caller, std::uint32_t owner, const std::string& message) {
  if (!is_owner(caller, owner)) throw Error{Kind::permission, message};
}

void require_owner(Change& change, const std::string& message) {
  require_owner(change.caller(), change.info().owner, message);
}

bool may_act(const Credential& caller, std::uint32_t owner, const job::Job& job) {
  return job.userid == caller.uid || is_owner(caller, owner);
}

void require_access(const Credential& caller, std::uint32_t owner, const job::Job& job) {
  if (!may_act(caller, owner, job)) {
    throw error(Kind::permission, "job {} belongs to user {}", job.id, job.userid);
  }
}

void require_access(Change& change, const job::Job& job) {
  require_access(change.caller(), change.info().owner, job);
}

void require_access(const store::Reader& reader, const Credential& caller, const job::Job& job) {
  if (job.userid != caller.uid) require_access(caller, records::read_store_info(reader).owner, job);
}

void require_urgency(Change& change, std::uint8_t urgency) {
  if (urgency > job::kUrgencyExpedite)
    throw error(Kind::usage, "expected an urgency from 0 to {}, got {}", job::kUrgencyExpedite, urgency);
  if (urgency <= job::kUrgencyUserMax) return;
  require_owner(
      change, fmt::format("urgency {} is reserved for the owner: at most {}", urgency, job::kUrgencyUserMax));
}

void require_active(const job::Job& job) {
  if (!job::is_active(job.state)) throw error(Kind::refused, "job {} is inactive", job.id);
}

}  // namespace fq::manager
