#include "manager/jobs/urgency.h"

#include "base/error.h"
#include "job/events.h"
#include "manager/core/bulk.h"
#include "manager/core/permission.h"
#include "manager/core/post.h"
#include "manager/core/shares.h"

namespace fq::manager {

void require_urgency_change(Change& change, const job::Job& job, std::uint8_t urgency) {
  require_urgency(change, urgency);
  if (job::is_pending(job.state)) return;
  throw error(Kind::refused, "job {} has its resources: its urgency can no longer be changed", job.id);
}

request::BulkReply<UrgencyChange> set_urgency(const Session& session, const UrgencyRequest& request) {
  const auto find = [&](Change& change) {
    require_urgency(change, request.urgency);
    require_share(change);
    return request.ids;
  };
  const auto act = [&](Change& change, JobId id) -> std::optional<UrgencyChange> {
    const job::Job& job = change.job(id);
    require_access(change, job);
    require_active(job);
    require_urgency_change(change, job, request.urgency);
    const std::uint8_t before = job.urgency;
    post(change, id, job::events::urgency(change.now(), change.caller().uid, request.urgency));
    return UrgencyChange{id, before};
  };
  return act_on_jobs<UrgencyChange>(session, find, act);
}

}  // namespace fq::manager
