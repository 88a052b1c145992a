#include "manager/jobs/kill.h"

#include <csignal>

#include "base/error.h"
#include "job/actions.h"
#include "manager/core/bulk.h"
#include "manager/core/permission.h"
#include "manager/look/query.h"
#include "manager/look/select.h"
#include "meeting/control.h"
#include "records/instance.h"

namespace fq::manager {
namespace {

Error not_running(const job::Job& job) {
  require_active(job);
  return error(Kind::refused, "job {} is not running", job.id);
}

}  // namespace

KillReply kill_jobs(const Session& session, const KillRequest& request) {
  if (request.signal < 1 || request.signal > SIGRTMAX)
    throw error(Kind::usage, "there is no signal {}: expected 1 to {}", request.signal, SIGRTMAX);
  if (!request.ids.empty() && request.selection)
    throw Error{Kind::combination, "jobs are given by their ids or selected, not both"};
  KillReply reply;
  query_repaired(session, [&](const store::Reader& reader) {
    reply = {};
    const std::uint32_t owner = records::read_store_info(reader).owner;
    if (request.selection) {
      visit_jobs(reader, *request.selection, [&](job::Job&& job) {
        if (job::has_tasks(job) && may_act(session.caller, owner, job)) reply.signaled.push_back(job.id);
        return true;
      });
    }
    reply.refusals = for_each_job(request.ids, [&](JobId id) {
      const job::Job job = require_job(reader, id);
      require_access(session.caller, owner, job);
      if (!job::has_tasks(job)) throw not_running(job);
      reply.signaled.push_back(id);
    });
  });
  if (request.dry_run) return reply;
  std::vector<JobId> signaled;
  for (const JobId id : reply.signaled) {
    if (meeting::write_control(session.files(), id, meeting::ControlSignal{request.signal})) {
      signaled.push_back(id);
    } else if (!request.selection) {
      reply.refusals.push_back({id, error(Kind::refused, "job {} is not running", id)});
    }
  }
  reply.signaled = std::move(signaled);
  return reply;
}

}  // namespace fq::manager
