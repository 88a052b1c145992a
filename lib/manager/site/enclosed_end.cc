#include "manager/site/enclosed_end.h"

#include <algorithm>

#include "job/events.h"
#include "manager/core/change.h"
#include "manager/core/post.h"
#include "manager/engine/lost_shells.h"
#include "manager/run/allocation.h"
#include "manager/site/reload.h"
#include "records/instance.h"

namespace fq::manager {
namespace {

// When a job ends by its duration in an inventory that holds until `end`; 0: never.
double job_end(const job::Job& job, double end) {
  if (job.duration == 0) return end;
  const double own = job.t_run + job.duration;
  return end == 0 ? own : std::min(own, end);
}

}  // namespace

void move_enclosed_end(const Session& session, double expiration) {
  std::optional<document::ResourceSet> inventory;
  query(session, [&](const store::Reader& reader) {
    inventory = document::ResourceSet::parse(records::read_inventory(reader));
  });
  const double before = inventory->expiration;
  if (before == expiration) return;
  inventory->expiration = expiration;
  static_cast<void>(reload_inventory(session, *inventory));
  transact(session, [&](Change& change) {
    for (const JobId id : running_jobs(change.transaction())) {
      const job::Job& job = change.job(id);
      if (job.state != job::State::run || job.expiration != job_end(job, before)) continue;
      const double end = job_end(job, expiration);
      if (end == job.expiration) continue;
      extend_allocation(change, id, end);
      post(change, id, job::events::resource_update(change.now(), end));
      change.effects().expirations.push_back({id, end});
    }
  });
}

}  // namespace fq::manager
