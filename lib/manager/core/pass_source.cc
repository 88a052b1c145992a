#include "manager/core/pass_source.h"

#include <utility>

#include "manager/core/post.h"
#include "manager/site/advance_reservation.h"
#include "records/keys.h"

namespace fq::manager {

using store::Family;
namespace key = records::key;

PassSource::PassSource(Change& change, std::vector<sched::Reservation> kept, bool shared)
    : change_(&change),
      pool_(change.pool()),
      timeline_(
          pool_, change.now(), [this] { return next_end(); }, std::move(kept), shared,
          closures(change.transaction(), change.pool().inventory(), change.now()), &change.matcher()),
      preemption_(change) {}

std::optional<sched::AllocationEnd> PassSource::next_end() {
  if (!ends_) ends_ = change_->transaction().scan_prefix(Family::index, key::kAllocationEndPrefix);
  if (!ends_->valid()) return std::nullopt;
  const JobId id = key::indexed_job(ends_->key());
  const auto time = static_cast<double>(key::indexed_time(ends_->key())) * 1e-6;
  ends_->next();
  return sched::AllocationEnd{id, time, change_->job(id).expiration > 0, change_->resources(id)};
}

void PassSource::for_each_job(const std::function<void(const sched::HelloJob&)>& visit) const {
  for (const auto at = change_->transaction().scan_prefix(Family::index, key::kAllocationEndPrefix);
       at->valid(); at->next()) {
    const job::Job& job = change_->job(key::indexed_job(at->key()));
    document::ResourceSet r = change_->resources(job.id);
    r.expiration = job.expiration;
    visit({job.id, job.priority, job.userid, job.t_submit, std::move(r)});
  }
}

std::string PassSource::jobspec(JobId id) const {
  return effective_jobspec_text(*change_, id);
}

}  // namespace fq::manager
