#include "manager/look/wait.h"

#include <cmath>
#include <vector>

#include "base/error.h"
#include "manager/core/change.h"
#include "manager/core/hidden_jobs.h"
#include "manager/look/query.h"
#include "meeting/wake.h"
#include "records/job_table.h"
#include "records/waitable.h"

namespace fq::manager {

bool wait_until(const Session& session, std::span<const notation::JobId> ids, double timeout_s,
                const std::function<bool(const store::Reader&)>& look) {
  if (std::isnan(timeout_s)) throw Error{Kind::invalid, "expected a time to wait"};
  // The waiter comes first: a change between the look and the sleep then still ends the sleep.
  meeting::Waiter waiter(session.files(), ids);
  const double deadline = session.clock->boot_time() + timeout_s;
  for (;;) {
    bool done = false;
    query_repaired(session, [&](const store::Reader& reader) { done = look(reader); });
    if (done) return true;
    const double left = std::isfinite(timeout_s) ? deadline - session.clock->boot_time() : timeout_s;
    if (left <= 0 || !waiter.wait(left)) return false;
  }
}

job::Job wait_inactive(const Session& session, notation::JobId id, double timeout_s) {
  job::Job job;
  const bool ended = wait_until(session, std::span(&id, 1), timeout_s, [&](const store::Reader& reader) {
    Rights rights(reader, session.caller);
    job = rights.require_job(id);
    hide_jobs_in(rights, job);
    return job.state == job::State::inactive;
  });
  if (!ended) throw error(Kind::timeout, "job {} has not ended within {} s", id, timeout_s);
  return job;
}

void wait_inactive(const Session& session, std::vector<notation::JobId> ids) {
  while (!ids.empty()) {
    // One after another; most have ended when the first one has.
    const notation::JobId next = ids.front();
    wait_until(session, std::span(&next, 1), kNoTimeout, [&](const store::Reader& reader) {
      Rights rights(reader, session.caller);
      std::erase_if(ids, [&](notation::JobId id) {
        const auto job = records::find_job(reader, id);
        return !job || !rights.sees(job->userid) || job->state == job::State::inactive;
      });
      return ids.empty() || ids.front() != next;
    });
  }
}

std::optional<std::vector<job::Job>> wait_waitable(const Session& session, std::size_t most, double deadline,
                                                   std::span<const JobId> but) {
  const std::uint32_t uid = session.caller.uid;
  for (;;) {
    bool any = false;
    const double left = deadline - session.clock->boot_time();
    const bool looked = wait_until(session, {}, left, [&](const store::Reader& reader) {
      const bool ended = !records::ended_waitable(reader, uid, 1).empty();
      any = ended || records::has_active_waitable(reader, uid, but);
      return ended || !any;
    });
    if (!looked) return std::nullopt;
    if (!any) return std::vector<job::Job>{};
    std::vector<job::Job> taken;
    transact(
        session,
        [&](Change& change) {
          taken.clear();
          for (const JobId id : records::ended_waitable(change.transaction(), uid, most)) {
            taken.push_back(change.job(id));
            static_cast<void>(records::take_waiting(change.transaction(), taken.back()));
          }
        },
        FullDisk::use_reserve);
    // Another one may have taken them first.
    if (!taken.empty()) return taken;
  }
}

void take_result(const Session& session, JobId id) {
  transact(
      session,
      [&](Change& change) {
        const job::Job* job = change.find_job(id);
        const bool waits = job != nullptr && job->state == job::State::inactive &&
                           (job->flags & job::kFlagWaitable) != 0 && job->userid == session.caller.uid;
        if (waits) static_cast<void>(records::take_waiting(change.transaction(), *job));
      },
      FullDisk::use_reserve);
}

}  // namespace fq::manager
