// What becomes of the reservations of the last pass.

#include <algorithm>
#include <utility>

#include "sched/timeline.h"

namespace fq::sched {

using document::ResourceSet;
using notation::JobId;

bool follows(const Reservation& each, const Reservation& other) {
  return each.start >= other.end && each.R.ranks().intersects(other.R.ranks());
}

Timeline::Entries::iterator Timeline::find(JobId id) {
  return std::find_if(made_.begin(), made_.end(), [&](const Entry& each) { return each.of.id == id; });
}

Timeline::Entries::iterator Timeline::erase(Entries::iterator at) {
  forget_views();
  freed_ = true;
  if (!at->asked) --unasked_;
  const Entry gone = std::move(*at);
  const auto next = made_.erase(at);
  mark_followers(gone.of);
  return next;
}

void Timeline::mark_followers(const Reservation& gone) {
  for (Entry& each : made_) each.of.stale = each.of.stale || follows(each.of, gone);
}

const Reservation* Timeline::reserved_for(JobId id) const {
  const auto at =
      std::find_if(made_.begin(), made_.end(), [&](const Entry& each) { return each.of.id == id; });
  return at == made_.end() ? nullptr : &at->of;
}

std::size_t Timeline::reserved_by(std::string_view queue) const {
  return static_cast<std::size_t>(
      std::count_if(made_.begin(), made_.end(), [&](const Entry& each) { return each.of.queue == queue; }));
}

bool Timeline::has_unasked(std::string_view queue) const {
  return unasked_ > 0 && std::any_of(made_.begin(), made_.end(), [&](const Entry& each) {
           return !each.asked && each.of.queue == queue;
         });
}

std::vector<JobId> Timeline::unasked() const {
  std::vector<JobId> ids;
  if (unasked_ == 0) return ids;
  for (const Entry& each : made_) {
    if (!each.asked) ids.push_back(each.of.id);
  }
  return ids;
}

void Timeline::keep_first(std::string_view queue, JobId first) {
  if (unasked_ == 0) return;
  for (auto at = made_.begin(); at != made_.end();) {
    at = !at->asked && at->of.queue == queue && at->of.id != first ? erase(at) : std::next(at);
  }
}

void Timeline::take_places(Entries::const_iterator own, const AllocRequest& request) {
  for (auto at = made_.begin(); at != made_.end() && at != own;) {
    if (at->asked || !(at->of.may_lose || request.t_pending >= at->of.ranked)) {
      ++at;
      continue;
    }
    kept_order_.push_back(at->of.id);
    kept_.insert_or_assign(at->of.id, at->of);
    at = erase(at);
  }
}

void Timeline::look_for_overdue() {
  load_ends(now_);
  const auto mark = [&](const AllocationEnd& end) {
    if (end.certain || end.time > now_ + kOverdue) return;
    for (Entry& each : made_) each.of.stale = each.of.stale || each.of.R.ranks().intersects(end.R.ranks());
  };
  std::for_each(overdue_.begin(), overdue_.end(), mark);
  std::for_each(ends_.begin(), ends_.end(), mark);
}

Timeline::Beside Timeline::around(Entries::const_iterator own, const AllocRequest& request) const {
  Beside beside;
  for (const Closed& each : closed_) {
    if (!each.admits(request)) beside.earlier.push_back(&each.of);
  }
  auto* part = &beside.earlier;
  for (auto each = made_.begin(); each != made_.end(); ++each) {
    if (each == own) {
      part = &beside.later;
    } else {
      part->push_back(&each->of);
    }
  }
  return beside;
}

std::optional<ResourceSet> Timeline::match_beside(Entries::const_iterator own, const AllocRequest& request,
                                                  MatchPolicy policy) {
  const Beside others = around(own, request);
  const double end = end_of(request, now_), planned_end = planned_end_of(request, now_);
  std::vector<const Reservation*> in_the_way;
  for (const Reservation* each : others.earlier) {
    if (each->start < end) in_the_way.push_back(each);
  }
  for (const Reservation* each : others.later) {
    if (each->start < planned_end) in_the_way.push_back(each);
  }
  if (in_the_way.empty()) return matcher_.match(request, now_, policy);
  Pool open = pool_;
  for (const Reservation* each : in_the_way) open.block(each->R);
  return Matcher(open, &matcher_).match(request, now_, policy);
}

std::optional<ResourceSet> Timeline::start_own(Entries::iterator own, const AllocRequest& request,
                                               MatchPolicy policy, bool stays) {
  if (!std::exchange(own->asked, true)) --unasked_;
  if (own->of.stale && own->of.down_since == 0) return plan_anew(own, request, policy, stays);
  if (!freed_ && own->of.start > now_) return std::nullopt;
  const bool its_time = own->of.start <= now_ && pool_.is_free(own->of.R);
  std::optional<ResourceSet> r;
  if (!(its_time && stays) && matcher_.fits_free(request)) r = match_beside(own, request, policy);
  if (!r && its_time) {
    r = own->of.R;
    complete_allocation(*r, pool_.inventory(), request, now_);
  }
  if (!r) {
    // Somebody else has what was planned, and no end of it is known.
    if (own->of.start <= now_ && own->of.down_since == 0) return plan_anew(own, request, policy, stays);
    return std::nullopt;
  }
  const bool as_planned = own->of.start == now_ && own->of.R.ranks() == r->ranks();
  const Reservation before = std::exchange(own->of, {});
  erase(own);
  if (!as_planned) mark_followers(before);
  take(request, *r);
  return r;
}

std::optional<ResourceSet> Timeline::plan_anew(Entries::iterator own, const AllocRequest& request,
                                               MatchPolicy policy, bool stays) {
  Beside beside = around(own, request);
  auto found = earliest(request, policy, beside, stays ? &own->of : nullptr);
  if (!found || found->start > std::max(own->of.start, now_)) {
    // Its place is gone: it need not stand behind those that were made after it.
    const std::vector<const Reservation*> later = std::exchange(beside.later, {});
    if (auto sooner = earliest(request, policy, beside, nullptr);
        sooner && (!found || sooner->start < found->start)) {
      found = std::move(sooner);
      for (Entry& each : made_) {
        if (std::find(later.begin(), later.end(), &each.of) == later.end()) continue;
        const bool contradicted =
            each.of.start < found->end && each.of.end > found->start && each.of.R.overlaps(found->R);
        each.of.stale = each.of.stale || contradicted;
      }
    }
  }
  const Reservation before = std::exchange(own->of, {});
  if (!found || found->start <= now_) {
    erase(own);
    mark_followers(before);
    if (!found) return std::nullopt;
    take(request, found->R);
    return std::move(found->R);
  }
  const bool moved = found->start != before.start || !(found->R.ranks() == before.R.ranks());
  own->of = *std::move(found);
  own->of.queue = before.queue;
  own->of.made = before.made;
  own->of.ranked = before.ranked;
  own->of.may_lose = before.may_lose;
  if (moved) mark_followers(before);
  own->of.stale = false;
  freed_ = true;
  forget_views();
  return std::nullopt;
}

}  // namespace fq::sched
