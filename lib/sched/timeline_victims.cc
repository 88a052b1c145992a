// What a timeline can do for a request that may have running jobs preempted.

#include <algorithm>
#include <utility>

#include "sched/capacity.h"
#include "sched/timeline.h"

namespace fq::sched {

using document::ResourceSet;
using notation::JobId;

namespace {

// What a request could have at an instant, as jobs give back what they hold one by one, or take it again.
class Openings {
 public:
  Openings(const Pool& free, std::vector<const Reservation*> kept, const AllocRequest& request)
      : free_(free),
        open_(free),
        kept_(std::move(kept)),
        matcher_(open_),
        capacity_((block_all(), open_), matcher_.nodes(request), request.counts) {}

  [[nodiscard]] bool fit() const { return capacity_.fits(); }
  void give_back(const ResourceSet& r) {
    free_.release(r);
    refresh(r);
  }
  void take_again(const ResourceSet& r) {
    free_.allocate(r);
    refresh(r);
  }

 private:
  void block_all() {
    for (const Reservation* each : kept_) open_.block(each->R);
  }
  void refresh(const ResourceSet& r) {
    for (const ResourceSet::Node& node : r.nodes()) {
      const auto place = free_.find(node.rank);
      if (!place) continue;
      open_.copy_node(free_, *place);
      for (const Reservation* each : kept_) {
        if (const ResourceSet::Node* part = each->R.find(node.rank)) open_.block(*part);
      }
      capacity_.refresh(open_, *place);
    }
  }

  Pool free_;
  Pool open_;  ///< less what is reserved for others
  std::vector<const Reservation*> kept_;
  Matcher matcher_;
  Capacity capacity_;
};

}  // namespace

std::vector<JobId> Timeline::victims(const AllocRequest& request, const std::vector<const Preemptible*>& jobs,
                                     double end) {
  load_ends(end);
  Pool free = pool_;
  for (const AllocationEnd& each : ends_) {
    if (each.time <= end) free.release(each.R);
  }
  for (const auto& [time, each] : started_) {
    if (time <= end) free.release(each.R);
  }
  const Beside beside = earlier_ones(request);
  std::vector<const Reservation*> kept;
  const double last = end_of(request, end);
  for (const Reservation* each : beside.earlier) {
    if (each->id != request.id && each->start < last && each->end > end) kept.push_back(each);
  }
  Openings openings(free, std::move(kept), request);
  std::vector<const Preemptible*> chosen;
  for (auto next = jobs.begin(); !openings.fit(); ++next) {
    if (next == jobs.end()) return {};
    const bool ends_anyway = std::any_of(ends_.begin(), ends_.end(), [&](const AllocationEnd& each) {
      return each.id == (*next)->id && each.time <= end;
    });
    if (ends_anyway) continue;
    openings.give_back((*next)->R);
    chosen.push_back(*next);
  }
  // The last one is needed: without it there was too little.
  for (std::size_t i = chosen.size(); i-- > 0;) {
    if (i + 1 == chosen.size()) continue;
    openings.take_again(chosen[i]->R);
    if (openings.fit()) {
      chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      openings.give_back(chosen[i]->R);
    }
  }
  std::vector<JobId> ids;
  for (const Preemptible* each : chosen) ids.push_back(each->id);
  return ids;
}

void Timeline::end_early(const std::vector<JobId>& jobs, double end) {
  load_ends(std::numeric_limits<double>::infinity());
  const auto is_one = [&](const AllocationEnd& each) {
    return each.time > end && std::find(jobs.begin(), jobs.end(), each.id) != jobs.end();
  };
  for (AllocationEnd& each : ends_) {
    if (!is_one(each)) continue;
    each.time = end;
    each.certain = true;
  }
  std::stable_sort(ends_.begin(), ends_.end(),
                   [](const AllocationEnd& a, const AllocationEnd& b) { return a.time < b.time; });
}

}  // namespace fq::sched
