#include "manager/wait.h"

#include <cmath>

#include "base/error.h"
#include "exec/wake.h"
#include "records/job_table.h"

namespace fq::manager {

bool wait_until(const Session& session, std::span<const notation::JobId> ids, double timeout_s,
                const std::function<bool(const store::Reader&)>& look) {
  // The waiter comes first: a change between the look and the sleep then still ends the sleep.
  exec::Waiter waiter(session.files(), ids);
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
    auto found = records::find_job(reader, id);
    if (!found) throw error(Kind::not_found, "job {} does not exist", id);
    job = *std::move(found);
    return job.state == job::State::inactive;
  });
  if (!ended) throw error(Kind::timeout, "job {} has not ended within {} s", id, timeout_s);
  return job;
}

}  // namespace fq::manager
