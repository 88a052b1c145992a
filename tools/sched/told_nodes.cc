#include "sched/told_nodes.h"

#include <algorithm>
#include <utility>

namespace fq::tools {

ToldNodes::ToldNodes(document::ResourceSet inventory, std::vector<sched::HelloJob> jobs, double now)
    : jobs_(std::move(jobs)), pool_(std::make_shared<const document::ResourceSet>(std::move(inventory))) {
  for (const sched::HelloJob& job : jobs_) {
    pool_.allocate(job.R);
    const bool certain = job.R.expiration > 0;
    ends_.push_back({job.id, certain ? job.R.expiration : now + document::kEndlessHold, certain, job.R});
  }
  std::sort(ends_.begin(), ends_.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  const auto next = [this]() -> std::optional<sched::AllocationEnd> {
    if (next_end_ == ends_.size()) return std::nullopt;
    return ends_[next_end_++];
  };
  timeline_.emplace(pool_, now, next, std::vector<sched::Reservation>{}, false);
}

void ToldNodes::for_each_job(const std::function<void(const sched::HelloJob&)>& visit) const {
  for (const sched::HelloJob& job : jobs_) visit(job);
}

}  // namespace fq::tools
