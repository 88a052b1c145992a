#include "manager/jobs/kill.h"

#include <algorithm>
#include <csignal>
#include <set>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "job/actions.h"
#include "manager/core/bulk.h"
#include "manager/core/log_act.h"
#include "manager/core/permission.h"
#include "manager/engine/reserve.h"
#include "manager/look/query.h"
#include "manager/look/select.h"
#include "meeting/control.h"

namespace fq::manager {
namespace {

Error not_running(const job::Job& job) {
  require_active(job);
  return error(Kind::refused, "job {} is not running", job.id);
}

// An epilog is the owner's, whosever the job is; it is signaled where its job is named.
void require_epilog_of(const store::Reader& reader, Rights& rights, const job::Job& job) {
  if (job.epilogs == 0) throw not_running(job);
  if (rights.is_operator()) return;
  throw error(Kind::permission, "job {} has ended but for its epilog, which only {} may signal", job.id,
              operators_text(reader));
}

}  // namespace

KillReply kill_jobs(const Session& session, const KillRequest& request) {
  if (request.signal < 1 || request.signal > SIGRTMAX)
    throw error(Kind::usage, "there is no signal {}: expected 1 to {}", request.signal, SIGRTMAX);
  if (request.ranks && request.selection)
    throw Error{Kind::combination, "ranks are those of tasks of jobs that are named"};
  if (!request.ids.empty() && request.selection)
    throw Error{Kind::combination, "jobs are given by their ids or selected, not both"};
  KillReply reply;
  std::set<JobId> epilogs;
  std::vector<JobId> others;
  query_repaired(session, [&](const store::Reader& reader) {
    reply = {};
    epilogs.clear();
    others.clear();
    Rights rights(reader, session.caller);
    if (request.selection) {
      visit_jobs(reader, *request.selection, [&](job::Job&& job) {
        if (!job::has_tasks(job) || !rights.may_act(job)) return true;
        reply.signaled.push_back(job.id);
        if (job.userid != session.caller.uid) others.push_back(job.id);
        return true;
      });
    }
    reply.refusals = for_each_job(request.ids, [&](JobId id) {
      const job::Job job = rights.require_job(id);
      rights.require_access(job);
      if (!job::has_tasks(job)) {
        if (request.ranks) throw not_running(job);
        require_epilog_of(reader, rights, job);
        epilogs.insert(id);
      }
      const notation::Idset all = notation::Idset::from_range(0, std::max(job.ntasks, 1U) - 1);
      if (request.ranks && !all.includes(*request.ranks))
        throw error(Kind::invalid, "job {} has tasks {}, not {}", id, all.encode(),
                    request.ranks->subtract(all).encode());
      reply.signaled.push_back(id);
      if (job.userid != session.caller.uid) others.push_back(id);
    });
  });
  if (request.dry_run) return reply;
  // What others' jobs were sent by an operator is told first.
  if (!others.empty())
    transact(session, [&](Change& change) {
      log_act_on_others(change, "job-kill", others, {{"signal", request.signal}});
    });
  std::vector<JobId> signaled;
  for (const JobId id : reply.signaled) {
    const auto order =
        epilogs.contains(id)
            ? meeting::ControlOrder{meeting::ControlEpilogSignal{request.signal}}
            : meeting::ControlSignal{request.signal, request.ranks ? request.ranks->encode() : ""};
    const bool given =
        with_reserve(session.store, [&] { return meeting::write_control(session.files(), id, order); });
    if (given) {
      signaled.push_back(id);
    } else if (!request.selection) {
      reply.refusals.push_back({id, error(Kind::refused, "job {} is not running", id)});
    }
  }
  reply.signaled = std::move(signaled);
  return reply;
}

}  // namespace fq::manager
