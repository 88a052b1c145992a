// The search of a timeline for the first instant at which a request fits.

#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sched/capacity.h"
#include "sched/timeline.h"

namespace fq::sched {

// Goes from one instant to the next at which something ends, with what is free from then on if no other job
// starts.
class Timeline::Search {
 public:
  Search(Timeline& timeline, const AllocRequest& request)
      : timeline_(timeline),
        capacity_(timeline.pool_, timeline.matcher_.nodes(request), request.counts),
        request_(request),
        freed_(timeline.pool_.size(), false),
        time_(timeline.now_),
        started_(timeline.started_.begin()) {}

  [[nodiscard]] double time() const { return time_; }

  // What the request gets at this instant, beside these.
  [[nodiscard]] std::optional<document::ResourceSet> match(MatchPolicy policy, const Beside& beside,
                                                           const Reservation* kept) {
    if (!capacity_.fits()) return std::nullopt;
    catch_up();
    mask(beside);
    if (masked_ && !masked_->capacity.fits()) return std::nullopt;
    Free& open = masked_ ? masked_->open : *later_;
    if (kept != nullptr && kept->start == time_ && open.pool.is_free(kept->R)) {
      document::ResourceSet r = kept->R;
      complete_allocation(r, timeline_.pool_.inventory(), request_, time_);
      return r;
    }
    return open.matcher.match_fitting(request_, time_, policy, &freed_);
  }

  // To the next instant; false where there is none.
  bool advance(const Beside& beside) {
    timeline_.load_ends(time_);
    double next = kNoInstant;
    if (next_ < timeline_.ends_.size()) next = timeline_.ends_[next_].time;
    if (started_ != timeline_.started_.end()) next = std::min(next, started_->first);
    for (const auto* reservations : {&beside.earlier, &beside.later}) {
      for (const Reservation* each : *reservations) {
        if (each->end > time_) next = std::min(next, each->end);
      }
    }
    const double last = timeline_.pool_.inventory().expiration;
    if (next == kNoInstant || (last > 0 && next >= last)) return false;
    timeline_.load_ends(next);
    for (; next_ < timeline_.ends_.size() && timeline_.ends_[next_].time <= next; ++next_)
      release(timeline_.ends_[next_]);
    for (; started_ != timeline_.started_.end() && started_->first <= next; ++started_)
      release(started_->second);
    time_ = next;
    return true;
  }

  // Whether nothing that `r` waits for is without an end that can be known.
  [[nodiscard]] bool is_certain(const document::ResourceSet& r, const Beside& beside) const {
    const auto waits_for = [&](const document::ResourceSet& other) {
      return other.ranks().intersects(r.ranks());
    };
    const auto is_past_and_uncertain = [&](const Reservation* each) {
      return !each->certain && each->end <= time_ && waits_for(each->R);
    };
    return std::none_of(uncertain_.begin(), uncertain_.end(),
                        [&](const AllocationEnd* end) { return waits_for(end->R); }) &&
           std::none_of(beside.earlier.begin(), beside.earlier.end(), is_past_and_uncertain) &&
           std::none_of(beside.later.begin(), beside.later.end(), is_past_and_uncertain);
  }

 private:
  static constexpr double kNoInstant = std::numeric_limits<double>::infinity();

  struct Free {
    Free(const Pool& from, const Matcher& like) : pool(from), matcher(pool, &like) {}

    Pool pool;
    Matcher matcher;
  };
  // What is free at the instant, less what is reserved for others while the request would run.
  struct Masked {
    Masked(const Free& from, const AllocRequest& request)
        : open(from.pool, from.matcher), capacity(open.pool, open.matcher.nodes(request), request.counts) {}

    Free open;
    Capacity capacity;
    std::vector<const Reservation*> by;
  };

  void mask(const Beside& beside) {
    std::vector<const Reservation*> by;
    const auto add = [&](const std::vector<const Reservation*>& reservations, double end) {
      for (const Reservation* each : reservations) {
        if (each->start < end && each->end > time_) by.push_back(each);
      }
    };
    add(beside.earlier, timeline_.end_of(request_, time_));
    add(beside.later, timeline_.planned_end_of(request_, time_));
    if (!masked_ && by.empty()) return;
    if (!masked_) masked_ = std::make_unique<Masked>(*later_, request_);
    // From one instant to the next few come or go.
    const std::vector<const Reservation*> before = std::exchange(masked_->by, std::move(by));
    const auto missing = [](const auto& those) {
      return
          [&](const Reservation* each) { return std::find(those.begin(), those.end(), each) == those.end(); };
    };
    std::vector<const Reservation*> gone, come;
    std::copy_if(before.begin(), before.end(), std::back_inserter(gone), missing(masked_->by));
    std::copy_if(masked_->by.begin(), masked_->by.end(), std::back_inserter(come), missing(before));
    for (const Reservation* each : gone) note_changed(each->R);
    unmask_changed();
    for (const Reservation* each : come) {
      for (const document::ResourceSet::Node& node : each->R.nodes()) masked_->open.pool.block(node);
      note_changed(each->R);
    }
    count_changed();
  }

  void note_changed(const document::ResourceSet& r) {
    if (changed_.empty()) changed_.resize(timeline_.pool_.size());
    for (const document::ResourceSet::Node& node : r.nodes()) {
      const auto place = timeline_.pool_.find(node.rank);
      if (!place || changed_[*place]) continue;
      changed_[*place] = true;
      changes_.push_back(*place);
    }
  }

  // Those that have changed are as what is free later, less what is reserved.
  void unmask_changed() {
    if (changes_.empty()) return;
    for (const std::size_t place : changes_) masked_->open.pool.copy_node(later_->pool, place);
    for (const Reservation* each : masked_->by) {
      for (const document::ResourceSet::Node& node : each->R.nodes()) {
        const auto place = timeline_.pool_.find(node.rank);
        if (place && changed_[*place]) masked_->open.pool.block(node);
      }
    }
  }

  void count_changed() {
    for (const std::size_t place : changes_) {
      masked_->capacity.refresh(masked_->open.pool, place);
      changed_[place] = false;
    }
    changes_.clear();
  }

  // How much comes free is counted at once; which cores it is matters where the request fits only.
  void release(const AllocationEnd& end) {
    released_.push_back(&end);
    if (!end.certain) uncertain_.push_back(&end);
    for (const document::ResourceSet::Node& node : end.R.nodes()) {
      const auto place = timeline_.pool_.find(node.rank);
      if (!place) continue;
      freed_[*place] = true;
      capacity_.give_back(*place, node.cores.count(), node.gpus.count());
    }
  }

  void catch_up() {
    if (!later_) later_ = std::make_unique<Free>(timeline_.pool_, timeline_.matcher_);
    for (const AllocationEnd* end : released_) {
      for (const document::ResourceSet::Node& node : end->R.nodes()) later_->pool.unblock(node);
      if (masked_) note_changed(end->R);
    }
    if (masked_) {
      unmask_changed();
      count_changed();
    }
    released_.clear();
  }

  Timeline& timeline_;
  Capacity capacity_;
  const AllocRequest& request_;
  std::vector<bool> freed_;
  double time_;
  std::size_t next_ = 0;
  Started::const_iterator started_;
  std::vector<const AllocationEnd*> uncertain_;
  std::vector<const AllocationEnd*> released_;  ///< that later_ does not know yet
  std::unique_ptr<Free> later_;                 ///< what is free at the instant; made when the request fits
  std::unique_ptr<Masked> masked_;              ///< made when something is reserved first
  std::vector<bool> changed_;                   ///< nodes of it that are to be counted anew
  std::vector<std::size_t> changes_;            ///< the same, one by one
};

}  // namespace fq::sched
