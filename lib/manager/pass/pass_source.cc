#include "manager/pass/pass_source.h"

#include <algorithm>
#include <utility>

#include "manager/core/post.h"
#include "manager/site/advance_reservation.h"
#include "records/housekeeping.h"
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

namespace {

// How long housekeeping takes is not known, only when it is ended.
std::deque<sched::AllocationEnd> ends_of_housekeeping(const store::Reader& reader) {
  std::deque<sched::AllocationEnd> ends;
  for (const records::Housekeeping& each : records::read_housekeepings(reader))
    ends.push_back({each.id, records::planned_end(each), false, document::ResourceSet::parse(each.R)});
  std::ranges::stable_sort(ends, {}, &sched::AllocationEnd::time);
  return ends;
}

}  // namespace

std::optional<sched::AllocationEnd> PassSource::next_end() {
  if (!ends_) {
    ends_ = change_->transaction().scan_prefix(Family::index, key::kAllocationEndPrefix);
    other_ends_ = ends_of_housekeeping(change_->transaction());
  }
  const auto end_of_job = [&] { return static_cast<double>(key::indexed_time(ends_->key())) * 1e-6; };
  if (!other_ends_.empty() && (!ends_->valid() || other_ends_.front().time < end_of_job())) {
    sched::AllocationEnd end = std::move(other_ends_.front());
    other_ends_.pop_front();
    return end;
  }
  if (!ends_->valid()) return std::nullopt;
  const JobId id = key::indexed_job(ends_->key());
  const double time = end_of_job();
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
  for (const records::Housekeeping& each : records::read_housekeepings(change_->transaction()))
    visit({each.id, 0, change_->info().owner, each.t_start, document::ResourceSet::parse(each.R)});
  // The change learns of these when the pass is done.
  timeline_.for_each_started([&](const sched::AllocationEnd& started) {
    const job::Job& job = change_->job(started.id);
    document::ResourceSet r = started.R;
    r.expiration = started.certain ? started.time : 0;
    visit({job.id, job.priority, job.userid, job.t_submit, std::move(r)});
  });
}

std::string PassSource::jobspec(JobId id) const {
  return effective_jobspec_text(*change_, id);
}

}  // namespace fq::manager
