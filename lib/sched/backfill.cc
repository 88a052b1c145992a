#include "sched/backfill.h"

#include <algorithm>
#include <tuple>

#include "base/error.h"
#include "base/text.h"
#include "sched/annotations.h"

namespace fq::sched {

using notation::JobId;

namespace {

/// Whether `a` is served before `b`: by priority, then the beginning of its wait, then id.
bool before(const AllocRequest& a, const AllocRequest& b) {
  return std::tie(b.priority, a.t_order, a.id) < std::tie(a.priority, b.t_order, b.id);
}

/// The end of a job is looked for so long after it was to end its tasks at once, at the earliest; seconds.
constexpr double kShortestEnd = 1;

}  // namespace

void Backfill::hello(JobManager& manager, double now) {
  now_ = now;
  manager_ = &manager;
  timeline_ = &manager.timeline();
}

Ready Backfill::ready() {
  return {Ready::Mode::limited, discipline_.queue_depth};
}

AllocReply Backfill::reply_to(const AllocRequest& request) {
  AllocReply reply;
  reply.id = request.id;
  if (!discipline_.backfills) timeline_->keep_first(of_, request.id);
  Matcher& matcher = timeline_->matcher();
  if (auto note = matcher.check_feasible(request)) {
    reply.type = AllocType::deny;
    reply.note = std::move(*note);
  } else if (auto r = timeline_->start(request, discipline_.match, discipline_.promises)) {
    reply.type = AllocType::success;
    reply.annotations = allocated_annotations(r->summary());
    reply.R = std::move(r);
  } else if (!matcher.fits_usable(request)) {
    reply.annotations = pending_annotations(matcher.why_pending(request));
    reply.passed_over = true;
  } else {
    wait_for(request, reply);
  }
  return reply;
}

void Backfill::wait_for(const AllocRequest& request, AllocReply& reply) {
  const bool head = !has_head_ && !blocked_;
  const bool may_reserve = timeline_->reserved_by(of_) < discipline_.reservation_depth;
  const Reservation* reservation = timeline_->reserved_for(request.id);
  if (reservation == nullptr && may_reserve && (discipline_.backfills || timeline_->shared()))
    reservation = timeline_->reserve(request, discipline_.match, of_);
  if (reservation != nullptr) has_head_ = true;
  const bool preempts = preempt_for(request, reservation, reply);
  if (!discipline_.backfills) blocked_ = true;
  if (preempts) return;
  if (head || reservation != nullptr) {
    std::string reason = timeline_->matcher().why_pending(request);
    if (reason.empty()) reason = "what is free is reserved";
    const bool known = reservation != nullptr && reservation->certain && reservation->down_since == 0;
    reply.annotations = pending_annotations(reason, known ? reservation->start : 0);
  }
  const bool unasked = timeline_->has_unasked(of_);
  if (reservation == nullptr && unasked) timeline_->note_withstood();
  reply.only_what_fits = !unasked && timeline_->reserved_by(of_) >= discipline_.reservation_depth;
  reply.for_class = reply.only_what_fits && !timeline_->could_start(request, request.least_duration);
}

bool Backfill::preempt_for(const AllocRequest& request, const Reservation*& reservation, AllocReply& reply) {
  const PreemptibleJobs preemptible = manager_->preemptible_for(request);
  std::size_t under_way = preemptible.under_way;
  if (const auto known = preempting_.find(request.id); known != preempting_.end()) under_way += known->second;
  const double end = now_ + std::max(discipline_.preempt.grace_s, kShortestEnd);
  if (under_way == 0) {
    if (preemptible.jobs.empty() || (reservation != nullptr && reservation->start <= end)) return false;
    const std::vector<JobId> victims = timeline_->victims(request, preemptible.jobs, end);
    if (victims.empty()) return false;
    timeline_->end_early(victims, end);
    for (const JobId victim : victims) reply.preempts.push_back({victim, request.id, discipline_.preempt});
    under_way = preempting_[request.id] = victims.size();
  }
  timeline_->drop(request.id);
  reservation = timeline_->reserve(request, discipline_.match, of_);
  if (reservation == nullptr) return false;
  reply.annotations = pending_annotations(fmt::format("waiting for {}", counted(under_way, "preempted job")),
                                          reservation->certain ? reservation->start : 0);
  timeline_->hold_from_now(request.id);
  reply.claims = reservation->R;
  return true;
}

bool Backfill::take(Waiting& waiting, std::vector<AllocReply>& replies) {
  AllocReply reply = reply_to(waiting.request);
  if (reply.type != AllocType::annotate) {
    replies.push_back(std::move(reply));
    return false;
  }
  waiting.passed_over = reply.passed_over;
  if (reply.annotations == waiting.said) reply.annotations.clear();
  if (!reply.annotations.empty()) waiting.said = reply.annotations;
  if (!reply.annotations.empty() || reply.only_what_fits || reply.passed_over || reply.claims)
    replies.push_back(std::move(reply));
  return true;
}

void Backfill::schedule(std::vector<AllocReply>& replies) {
  std::vector<JobId> ids;
  for (const Waiting& waiting : queue_) ids.push_back(waiting.request.id);
  timeline_->begin_again(ids);
  has_head_ = blocked_ = false;
  for (auto waiting = queue_.begin(); waiting != queue_.end() && !blocked_;) {
    waiting = take(*waiting, replies) ? std::next(waiting) : queue_.erase(waiting);
  }
}

void Backfill::schedule_last(std::vector<AllocReply>& replies) {
  if (!blocked_ && !take(queue_.back(), replies)) queue_.pop_back();
}

std::vector<AllocReply> Backfill::alloc(const AllocRequest& request) {
  for (const Waiting& waiting : queue_) {
    if (waiting.request.id == request.id) {
      throw error(Kind::internal, "{}: a second alloc request for job {}", discipline_.name,
                  notation::to_f58(request.id));
    }
  }
  const auto place =
      std::upper_bound(queue_.begin(), queue_.end(), request,
                       [](const AllocRequest& a, const Waiting& b) { return before(a, b.request); });
  const bool last = place == queue_.end();
  queue_.insert(place, {request, {}, false});
  std::vector<AllocReply> replies;
  if (last) {
    schedule_last(replies);
  } else {
    schedule(replies);
  }
  return replies;
}

std::vector<AllocReply> Backfill::cancel(JobId id) {
  std::vector<AllocReply> replies;
  const auto place =
      std::find_if(queue_.begin(), queue_.end(), [&](const Waiting& w) { return w.request.id == id; });
  if (place == queue_.end()) return replies;
  const bool passed_over = place->passed_over;
  queue_.erase(place);
  // What is reserved for one that waits for nodes to come back is the job manager's to give up.
  if (!passed_over) timeline_->drop(id);
  AllocReply canceled;
  canceled.id = id;
  canceled.type = AllocType::cancel;
  replies.push_back(std::move(canceled));
  if (!passed_over) schedule(replies);
  return replies;
}

std::vector<AllocReply> Backfill::prioritize(std::span<const std::pair<JobId, std::uint32_t>> jobs) {
  bool changed = false;
  for (const auto& [id, priority] : jobs) {
    for (Waiting& waiting : queue_) {
      if (waiting.request.id != id || waiting.request.priority == priority) continue;
      waiting.request.priority = priority;
      changed = true;
    }
  }
  std::vector<AllocReply> replies;
  if (!changed) return replies;
  std::sort(queue_.begin(), queue_.end(),
            [](const Waiting& a, const Waiting& b) { return before(a.request, b.request); });
  schedule(replies);
  return replies;
}

ExpirationReply Backfill::expiration(JobId id, double expiration) {
  if (!discipline_.promises) return {ExpirationReply::Status::not_implemented, {}};
  const Reservation* delayed = timeline_->delayed_by(id, expiration);
  if (delayed == nullptr) return {ExpirationReply::Status::accepted, {}};
  return {ExpirationReply::Status::refused,
          fmt::format("it would delay job {}, for which its resources are reserved", delayed->id)};
}

std::vector<AllocReply> Backfill::free(JobId id, const document::ResourceSet& released, bool) {
  timeline_->release(id, released);
  std::vector<AllocReply> replies;
  schedule(replies);
  return replies;
}

}  // namespace fq::sched
