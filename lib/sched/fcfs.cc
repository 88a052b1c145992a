#include "sched/fcfs.h"

#include <algorithm>
#include <tuple>

#include "base/error.h"
#include "sched/annotations.h"

namespace fq::sched {

using notation::JobId;

namespace {

/// Whether `a` is served before `b`: by priority, then submit time, then id.
bool before(const AllocRequest& a, const AllocRequest& b) {
  return std::tie(b.priority, a.t_submit, a.id) < std::tie(a.priority, b.t_submit, b.id);
}

}  // namespace

void Fcfs::hello(JobManager& manager, double now) {
  now_ = now;
  pool_ = &manager.pool();
  matcher_.emplace(*pool_);
}

Ready Fcfs::ready() {
  return {Ready::Mode::limited, 1};
}

AllocReply Fcfs::attempt(const AllocRequest& request) {
  AllocReply reply;
  reply.id = request.id;
  if (auto note = matcher_->check_feasible(request)) {
    reply.type = AllocType::deny;
    reply.note = std::move(*note);
  } else if (auto r = matcher_->match(request, now_)) {
    pool_->allocate(*r);
    reply.type = AllocType::success;
    reply.annotations = allocated_annotations(r->summary());
    reply.R = std::move(r);
  } else {
    reply.type = AllocType::annotate;
    reply.annotations = pending_annotations(matcher_->why_pending(request));
    reply.passed_over = !matcher_->fits_usable(request);
  }
  return reply;
}

void Fcfs::schedule(std::vector<AllocReply>& replies) {
  for (auto waiting = queue_.begin(); waiting != queue_.end();) {
    AllocReply reply = attempt(waiting->request);
    if (reply.type != AllocType::annotate) {
      replies.push_back(std::move(reply));
      waiting = queue_.erase(waiting);
      continue;
    }
    const bool blocks = !reply.passed_over;
    if (reply.annotations != waiting->said) {
      waiting->said = reply.annotations;
      replies.push_back(std::move(reply));
    }
    if (blocks) return;
    ++waiting;
  }
}

std::vector<AllocReply> Fcfs::alloc(const AllocRequest& request) {
  for (const Waiting& waiting : queue_) {
    if (waiting.request.id == request.id) {
      throw error(Kind::internal, "fcfs: a second alloc request for job {}", notation::to_f58(request.id));
    }
  }
  const auto place =
      std::upper_bound(queue_.begin(), queue_.end(), request,
                       [](const AllocRequest& a, const Waiting& b) { return before(a, b.request); });
  queue_.insert(place, {request, {}});
  std::vector<AllocReply> replies;
  schedule(replies);
  return replies;
}

std::vector<AllocReply> Fcfs::cancel(JobId id) {
  std::vector<AllocReply> replies;
  const auto place =
      std::find_if(queue_.begin(), queue_.end(), [&](const Waiting& w) { return w.request.id == id; });
  if (place == queue_.end()) return replies;
  queue_.erase(place);
  AllocReply canceled;
  canceled.id = id;
  canceled.type = AllocType::cancel;
  replies.push_back(std::move(canceled));
  schedule(replies);
  return replies;
}

std::vector<AllocReply> Fcfs::prioritize(std::span<const std::pair<JobId, std::uint32_t>> jobs) {
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

ExpirationReply Fcfs::expiration(JobId, double) {
  return {ExpirationReply::Status::not_implemented, {}};
}

std::vector<AllocReply> Fcfs::free(JobId, const document::ResourceSet& released, bool) {
  pool_->release(released);
  std::vector<AllocReply> replies;
  schedule(replies);
  return replies;
}

}  // namespace fq::sched
