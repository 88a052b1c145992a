#include "manager/cancel.h"

#include "base/error.h"
#include "job/events.h"
#include "manager/permission.h"
#include "manager/post.h"

namespace fq::manager {
namespace {

void raise_one(Change& change, JobId id, const RaiseRequest& request) {
  const job::Job& job = change.job(id);
  require_access(change, job);
  require_active(job);
  if (request.dry_run) return;
  post(change, id,
       job::events::exception(change.now(), request.type, request.severity, request.note,
                              change.caller().uid));
}

}  // namespace

RaiseReply raise(const Session& session, const RaiseRequest& request) {
  RaiseReply reply;
  transact(
      session,
      [&](Change& change) {
        reply = {};
        std::vector<JobId> ids = request.ids;
        if (request.selection) {
          for (const job::Job& job : select_jobs(change.transaction(), *request.selection)) {
            if (job::is_active(job.state) && (job.userid == change.caller().uid || is_owner(change))) {
              ids.push_back(job.id);
            }
          }
        }
        reply.refusals = for_each_job(ids, [&](JobId id) {
          // One job's end may have ended others of the selection.
          if (request.selection && !job::is_active(change.job(id).state)) return;
          raise_one(change, id, request);
          reply.raised.push_back(id);
        });
      },
      FullDisk::use_reserve);
  return reply;
}

}  // namespace fq::manager
