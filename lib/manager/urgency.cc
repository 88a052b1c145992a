#include "manager/urgency.h"

#include "base/error.h"
#include "job/events.h"
#include "manager/permission.h"
#include "manager/post.h"

namespace fq::manager {

void require_urgency_change(Change& change, const job::Job& job, std::uint8_t urgency) {
  require_urgency(change, urgency);
  if (job::is_pending(job.state)) return;
  throw error(Kind::refused, "job {} has its resources: its urgency can no longer be changed", job.id);
}

UrgencyReply set_urgency(const Session& session, const UrgencyRequest& request) {
  UrgencyReply reply;
  transact(session, [&](Change& change) {
    reply = {};
    require_urgency(change, request.urgency);
    reply.refusals = for_each_job(request.ids, [&](JobId id) {
      const job::Job& job = change.job(id);
      require_access(change, job);
      require_active(job);
      require_urgency_change(change, job, request.urgency);
      const std::uint8_t before = job.urgency;
      post(change, id, job::events::urgency(change.now(), change.caller().uid, request.urgency));
      reply.changed.push_back({id, before});
    });
  });
  return reply;
}

}  // namespace fq::manager
