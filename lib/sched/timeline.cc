#include "sched/timeline.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sched/timeline_search.h"

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
  View(const Pool& from, const Matcher& like) : pool(from), matcher(pool, &like) {}

  Pool pool;
  Matcher matcher;
};

Timeline::Timeline(Pool& pool, double now, Ends ends, std::vector<Reservation> kept, bool shared,
                   std::vector<Closure> closures, const Matcher* like)
    : pool_(pool), matcher_(pool, like), now_(now), next_end_(std::move(ends)), shared_(shared) {
  for (Closure& each : closures) {
    Reservation of;
    of.start = each.start;
    of.end = each.end;
    of.R = std::move(each.R);
    closed_.push_back({std::move(of), std::move(each.admits)});
  }
  for (Reservation& each : kept) made_.push_back({std::move(each)});
  unasked_ = made_.size();
  if (unasked_ > 0) look_for_overdue();
}

Timeline::~Timeline() = default;

void Timeline::forget_views() {
  views_.clear();
}

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
  for (const Entry& each : made_) beside.earlier.push_back(&each.of);
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
  for (const Entry& each : made_) {
    if (each.of.start < end) disturbed.push_back(&each.of);
  }
  if (disturbed.empty()) return matcher_;
  // Those made are the same while the views are, and those disturbed are the ones that begin first.
  left.second = disturbed.size() - left.first.size();
  constexpr std::size_t kMostViews = 8;
  const auto known = views_.find(left);
  if (known != views_.end()) return known->second->matcher;
  if (views_.size() == kMostViews) views_.clear();
  auto view = std::make_unique<View>(pool_, matcher_);
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
  auto own = made_.empty() ? made_.end() : find(request.id);
  if (own != made_.end() && own->of.request != request_key(request)) {
    drop(request.id);
    own = made_.end();
  }
  if (unasked_ > 0) take_places(own, request);
  if (own != made_.end()) return start_own(own, request, policy, stays);
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
  for (const Entry& each : made_) {
    if (each.of.id != request.id && each.of.start < end && each.of.R.overlaps(r)) return false;
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

const Reservation* Timeline::reserve(const AllocRequest& request, MatchPolicy policy,
                                     std::string_view queue) {
  auto found = std::exchange(planned_, std::nullopt);
  if (!found || found->id != request.id) {
    found = earliest(request, policy, earlier_ones(request), nullptr);
  }
  if (!found) return nullptr;
  outrank(found->start, found->end, found->R);
  views_.clear();
  found->queue = queue;
  found->made = found->ranked = now_;
  made_.push_back({*std::move(found), true});
  return &made_.back().of;
}

void Timeline::for_each_started(const std::function<void(const AllocationEnd&)>& visit) const {
  for (const auto& [time, end] : started_) {
    if (!end.R.empty()) visit(end);
  }
}

void Timeline::release(JobId id, const ResourceSet& released) {
  load_ends(kNever);
  freed_ = true;
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
  if (const auto own = find(id); own != made_.end()) erase(own);
}

void Timeline::hold_from_now(JobId id) {
  const auto own = find(id);
  if (own == made_.end()) return;
  own->of.start = now_;
  own->of.certain = false;
  own->of.stale = true;
  views_.clear();
}

void Timeline::begin_again(const std::vector<JobId>& ids) {
  planned_.reset();
  views_.clear();
  for (const JobId id : ids) {
    const auto at = find(id);
    if (at == made_.end()) continue;
    kept_order_.push_back(id);
    kept_.insert_or_assign(id, at->of);
    erase(at);
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
  for (const Entry& each : made_) look_at(each.of);
  for (const auto& [job, each] : kept_) look_at(each);
  return first;
}

std::vector<Reservation> Timeline::reservations(bool complete) const {
  std::vector<Reservation> result;
  result.reserve(made_.size());
  for (const Entry& each : made_) result.push_back(each.of);
  if (complete) return result;
  for (const JobId id : kept_order_) {
    if (const auto kept = kept_.find(id); kept != kept_.end()) result.push_back(kept->second);
  }
  return result;
}

}  // namespace fq::sched
