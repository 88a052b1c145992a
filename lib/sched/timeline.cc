#include "sched/timeline.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sched/capacity.h"

namespace fq::sched {

using document::ResourceSet;
using notation::JobId;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

std::string request_key(const AllocRequest& request) {
  const document::ResourceCounts& r = request.counts;
  return fmt::format("{} {} {} {} {} {} {} {}", r.nnodes, r.nslots, r.slots_per_node, r.cores_per_slot,
                     r.gpus_per_slot, r.exclusive ? 1 : 0, request.duration, request.constraint);
}

/// The pool as those jobs see it that a number of reservations would disturb.
struct Timeline::View {
  explicit View(const Pool& from) : pool(from), matcher(pool) {}

  Pool pool;
  Matcher matcher;
};

Timeline::Timeline(Pool& pool, double now, Ends ends, std::vector<Reservation> kept, bool shared,
                   std::vector<Closure> closures)
    : pool_(pool), matcher_(pool), now_(now), next_end_(std::move(ends)), shared_(shared) {
  for (Closure& each : closures) {
    Reservation of;
    of.start = each.start;
    of.end = each.end;
    of.R = std::move(each.R);
    closed_.push_back({std::move(of), std::move(each.admits)});
  }
  for (Reservation& each : kept) {
    kept_order_.push_back(each.id);
    kept_.emplace(each.id, std::move(each));
  }
}

Timeline::~Timeline() = default;

void Timeline::load_ends(double until) {
  while (!all_ends_known_ && (ends_.empty() || ends_.back().time <= until)) {
    auto end = next_end_();
    if (end && end->time <= now_) {
      end->time = now_ + kOverdue;
      end->certain = false;
      overdue_.push_back(*std::move(end));
      continue;
    }
    if (!end || end->time > now_ + kOverdue) {
      std::move(overdue_.begin(), overdue_.end(), std::back_inserter(ends_));
      overdue_.clear();
    }
    all_ends_known_ = !end;
    if (end) ends_.push_back(*std::move(end));
  }
}

double Timeline::planned_end_of(const AllocRequest& request, double start) const {
  return std::min(end_of(request, start), start + document::kEndlessHold);
}

double Timeline::end_of(const AllocRequest& request, double start) const {
  const double own =
      request.duration > 0 && std::isfinite(request.duration) ? start + request.duration : kNever;
  const double last = pool_.inventory().expiration;
  return last > 0 ? std::min(own, last) : own;
}

// Goes from one instant to the next at which something ends, with what is free from then on if no other job
// starts.
class Timeline::Search {
 public:
  Search(Timeline& timeline, const AllocRequest& request)
      : timeline_(timeline),
        later_(timeline.pool_),
        matcher_(later_),
        capacity_(later_, matcher_.nodes(request), request.counts),
        request_(request),
        freed_(later_.size(), false),
        time_(timeline.now_),
        started_(timeline.started_.begin()) {}

  [[nodiscard]] double time() const { return time_; }

  // What the request gets at this instant, beside these.
  [[nodiscard]] std::optional<ResourceSet> match(MatchPolicy policy, const Beside& beside,
                                                 const Reservation* kept) {
    if (!capacity_.fits()) return std::nullopt;
    mask(beside);
    if (masked_ && !masked_->capacity.fits()) return std::nullopt;
    const Pool& open = masked_ ? masked_->pool : later_;
    if (kept != nullptr && kept->start == time_ && open.is_free(kept->R)) return kept->R;
    return (masked_ ? masked_->matcher : matcher_).match(request_, time_, policy, &freed_);
  }

  // To the next instant; false where there is none.
  bool advance(const Beside& beside) {
    timeline_.load_ends(time_);
    double next = kNever;
    if (next_ < timeline_.ends_.size()) next = timeline_.ends_[next_].time;
    if (started_ != timeline_.started_.end()) next = std::min(next, started_->first);
    for (const auto* reservations : {&beside.earlier, &beside.later}) {
      for (const Reservation* each : *reservations) {
        if (each->end > time_) next = std::min(next, each->end);
      }
    }
    const double last = timeline_.pool_.inventory().expiration;
    if (next == kNever || (last > 0 && next >= last)) return false;
    timeline_.load_ends(next);
    for (; next_ < timeline_.ends_.size() && timeline_.ends_[next_].time <= next; ++next_)
      release(timeline_.ends_[next_]);
    for (; started_ != timeline_.started_.end() && started_->first <= next; ++started_)
      release(started_->second);
    time_ = next;
    return true;
  }

  // Whether nothing that `r` waits for is without an end that can be known.
  [[nodiscard]] bool is_certain(const ResourceSet& r, const Beside& beside) const {
    const auto waits_for = [&](const ResourceSet& other) { return other.ranks().intersects(r.ranks()); };
    const auto is_past_and_uncertain = [&](const Reservation* each) {
      return !each->certain && each->end <= time_ && waits_for(each->R);
    };
    return std::none_of(uncertain_.begin(), uncertain_.end(),
                        [&](const AllocationEnd* end) { return waits_for(end->R); }) &&
           std::none_of(beside.earlier.begin(), beside.earlier.end(), is_past_and_uncertain) &&
           std::none_of(beside.later.begin(), beside.later.end(), is_past_and_uncertain);
  }

 private:
  // What is free at the instant, less what is reserved for others while the request would run.
  struct Masked {
    Masked(const Pool& from, const AllocRequest& request)
        : pool(from), matcher(pool), capacity(pool, matcher.nodes(request), request.counts) {}

    Pool pool;
    Matcher matcher;
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
    if (!masked_) masked_ = std::make_unique<Masked>(later_, request_);
    // From one instant to the next few come or go.
    const std::vector<const Reservation*> before = std::exchange(masked_->by, std::move(by));
    const auto refresh_of_one = [&](const auto& these, const auto& those) {
      for (const Reservation* each : these) {
        if (std::find(those.begin(), those.end(), each) != those.end()) continue;
        for (const ResourceSet::Node& node : each->R.nodes()) refresh_masked(node.rank);
      }
    };
    refresh_of_one(before, masked_->by);
    refresh_of_one(masked_->by, before);
  }

  void refresh_masked(std::uint32_t rank) {
    const auto node = later_.find(rank);
    if (!node) return;
    masked_->pool.copy_node(later_, *node);
    for (const Reservation* each : masked_->by) {
      if (const ResourceSet::Node* part = each->R.find(rank)) masked_->pool.block(*part);
    }
    masked_->capacity.refresh(*node);
  }

  void release(const AllocationEnd& end) {
    later_.release(end.R);
    if (!end.certain) uncertain_.push_back(&end);
    for (const ResourceSet::Node& node : end.R.nodes()) {
      const auto place = later_.find(node.rank);
      if (!place) continue;
      freed_[*place] = true;
      capacity_.refresh(*place);
      if (masked_) refresh_masked(node.rank);
    }
  }

  Timeline& timeline_;
  Pool later_;
  Matcher matcher_;
  Capacity capacity_;
  const AllocRequest& request_;
  std::vector<bool> freed_;
  double time_;
  std::size_t next_ = 0;
  Started::const_iterator started_;
  std::vector<const AllocationEnd*> uncertain_;
  std::unique_ptr<Masked> masked_;  ///< made when something is reserved first
};

std::optional<Reservation> Timeline::earliest(const AllocRequest& request, MatchPolicy policy,
                                              const Beside& beside, const Reservation* kept) {
  Search search(*this, request);
  do {
    if (auto r = search.match(policy, beside, kept)) {
      Reservation found;
      found.id = request.id;
      found.request = request_key(request);
      found.start = search.time();
      found.end = planned_end_of(request, found.start);
      found.certain = search.is_certain(*r, beside);
      found.R = *std::move(r);
      return found;
    }
  } while (search.advance(beside));
  return std::nullopt;
}

Timeline::Beside Timeline::earlier_ones(const AllocRequest& request) const {
  Beside beside;
  for (const Closed& each : closed_) {
    if (!each.admits(request)) beside.earlier.push_back(&each.of);
  }
  for (const Reservation& each : made_) beside.earlier.push_back(&each);
  return beside;
}

Timeline::Beside Timeline::others(const AllocRequest& request) const {
  const JobId id = request.id;
  Beside beside = earlier_ones(request);
  // Those that were made before it and were not asked for yet have lost their place.
  auto place = std::find(kept_order_.begin(), kept_order_.end(), id);
  for (; place != kept_order_.end(); ++place) {
    const auto each = kept_.find(*place);
    if (*place != id && each != kept_.end()) beside.later.push_back(&each->second);
  }
  return beside;
}

Matcher& Timeline::beside(const AllocRequest& request, double end) {
  Left left;
  for (const Closed& each : closed_) {
    if (each.of.start < end && !each.admits(request)) left.first.push_back(&each.of);
  }
  std::vector<const Reservation*> disturbed = left.first;
  for (const Reservation& each : made_) {
    if (each.start < end) disturbed.push_back(&each);
  }
  if (disturbed.empty()) return matcher_;
  // Those made are the same while the views are, and those disturbed are the ones that begin first.
  left.second = disturbed.size() - left.first.size();
  constexpr std::size_t kMostViews = 8;
  const auto known = views_.find(left);
  if (known != views_.end()) return known->second->matcher;
  if (views_.size() == kMostViews) views_.clear();
  auto view = std::make_unique<View>(pool_);
  for (const Reservation* each : disturbed) view->pool.block(each->R);
  return views_.emplace(std::move(left), std::move(view)).first->second->matcher;
}

void Timeline::take(const AllocRequest& request, const ResourceSet& r) {
  const double end = end_of(request, now_);
  pool_.allocate(r);
  for (const auto& [left, view] : views_) view->pool.block(r);
  outrank(now_, end, r);
  const bool certain = end < kNever;
  const double time = certain ? end : now_ + document::kEndlessHold;
  started_.emplace(time, AllocationEnd{request.id, time, certain, r});
}

void Timeline::outrank(double start, double end, const ResourceSet& r) {
  for (auto at = kept_.begin(); at != kept_.end();) {
    const Reservation& each = at->second;
    const bool contradicted = each.start < end && each.end > start && each.R.overlaps(r);
    at = contradicted ? kept_.erase(at) : std::next(at);
  }
}

std::optional<ResourceSet> Timeline::start(const AllocRequest& request, MatchPolicy policy, bool stays) {
  planned_.reset();
  const auto kept = kept_.find(request.id);
  if (kept != kept_.end() && kept->second.request != request_key(request)) drop(request.id);
  if (kept_.contains(request.id)) {
    planned_ = earliest(request, policy, others(request), stays ? &kept_.at(request.id) : nullptr);
    kept_.erase(request.id);
    if (!planned_ || planned_->start > now_) return std::nullopt;
    auto r = std::move(planned_->R);
    planned_.reset();
    take(request, r);
    return r;
  }
  if (!matcher_.fits_free(request)) return std::nullopt;
  auto r = beside(request, end_of(request, now_)).match(request, now_, policy);
  if (r) take(request, *r);
  return r;
}

bool Timeline::grant(const AllocRequest& request, const ResourceSet& r) {
  const double end = end_of(request, now_);
  for (const Closed& each : closed_) {
    if (each.of.start < end && each.of.R.overlaps(r) && !each.admits(request)) return false;
  }
  for (const Reservation& each : made_) {
    if (each.id != request.id && each.start < end && each.R.overlaps(r)) return false;
  }
  if (!pool_.is_free(r)) return false;
  drop(request.id);
  take(request, r);
  return true;
}

bool Timeline::could_start(const AllocRequest& request, double duration) {
  AllocRequest shorter = request;
  shorter.duration = duration;
  return matcher_.fits_free(request) && beside(request, end_of(shorter, now_)).fits_free(request);
}

const Reservation* Timeline::reserve(const AllocRequest& request, MatchPolicy policy) {
  auto found = std::exchange(planned_, std::nullopt);
  if (!found || found->id != request.id) {
    found = earliest(request, policy, earlier_ones(request), nullptr);
  }
  if (!found) return nullptr;
  outrank(found->start, found->end, found->R);
  views_.clear();
  made_.push_back(*std::move(found));
  return &made_.back();
}

void Timeline::release(JobId id, const ResourceSet& released) {
  load_ends(kNever);
  pool_.release(released);
  views_.clear();
  for (AllocationEnd& end : ends_) {
    if (end.id == id) end.R = end.R.subtract(released);
  }
  for (auto& [time, end] : started_) {
    if (end.id == id) end.R = end.R.subtract(released);
  }
}

void Timeline::drop(JobId id) {
  planned_.reset();
  kept_.erase(id);
  if (made_.remove_if([&](const Reservation& each) { return each.id == id; }) > 0) views_.clear();
}

void Timeline::begin_again(const std::vector<JobId>& ids) {
  planned_.reset();
  views_.clear();
  for (auto at = made_.begin(); at != made_.end();) {
    if (std::find(ids.begin(), ids.end(), at->id) == ids.end()) {
      ++at;
      continue;
    }
    kept_order_.push_back(at->id);
    kept_.insert_or_assign(at->id, *at);
    at = made_.erase(at);
  }
}

const Reservation* Timeline::delayed_by(JobId id, double end) {
  load_ends(kNever);
  const auto holder =
      std::find_if(ends_.begin(), ends_.end(), [&](const auto& each) { return each.id == id; });
  if (holder == ends_.end()) return nullptr;
  double until = kNever;
  if (end > 0) until = end;
  const Reservation* first = nullptr;
  const auto look_at = [&](const Reservation& each) {
    if (each.start < until && each.end > now_ && each.R.overlaps(holder->R) &&
        (first == nullptr || each.start < first->start)) {
      first = &each;
    }
  };
  for (const Reservation& each : made_) look_at(each);
  for (const auto& [job, each] : kept_) look_at(each);
  return first;
}

std::vector<Reservation> Timeline::reservations(bool complete) const {
  std::vector<Reservation> result(made_.begin(), made_.end());
  if (complete) return result;
  for (const JobId id : kept_order_) {
    if (const auto kept = kept_.find(id); kept != kept_.end()) result.push_back(kept->second);
  }
  return result;
}

}  // namespace fq::sched
