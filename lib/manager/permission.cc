#include "manager/permission.h"

#include "base/error.h"

namespace fq::manager {

bool is_owner(Change& change) {
  constexpr std::uint32_t kRoot = 0;
  return change.caller().uid == change.info().owner || change.caller().uid == kRoot;
}

void require_owner(Change& change, const std::string& message) {
  if (!is_owner(change)) throw Error{Kind::permission, message};
}

void require_access(Change& change, const job::Job& job) {
  if (job.userid != change.caller().uid && !is_owner(change)) {
    throw error(Kind::permission, "job {} belongs to user {}", job.id, job.userid);
  }
}

}  // namespace fq::manager
