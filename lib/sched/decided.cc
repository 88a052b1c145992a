#include "sched/decided.h"

#include <algorithm>

#include "base/error.h"
#include "sched/annotations.h"
#include "sched/grant_check.h"
#include "sched/pool.h"
#include "sched/timeline.h"

namespace fq::sched {

using notation::JobId;

namespace {

// What a scheduler looks at when it answers; priorities and times change by themselves.
bool asks_for_the_same(const AllocRequest& a, const AllocRequest& b) {
  return a.counts == b.counts && a.duration == b.duration && a.constraint == b.constraint &&
         a.queue == b.queue;
}

}  // namespace

void Decided::hello(JobManager& manager, double now) {
  manager_ = &manager;
  now_ = now;
}

Ready Decided::ready() {
  const std::size_t sent = std::clamp<std::size_t>(decisions_.answered.size(), 1, Ready::kLimitMax);
  return {Ready::Mode::limited, static_cast<std::uint32_t>(sent)};
}

bool Decided::take(const AllocRequest& request, AllocReply& reply) {
  Timeline& timeline = manager_->timeline();
  if (grant_fault(timeline.pool(), timeline.matcher(), request, *reply.R)) return false;
  reply.R = as_granted(*reply.R, timeline.pool().inventory(), request, now_);
  return timeline.grant(request, *reply.R);
}

std::vector<AllocReply> Decided::alloc(const AllocRequest& request) {
  const auto at = decisions_.answered.find(request.id);
  if (at == decisions_.answered.end()) return {};
  std::vector<AllocReply> replies = std::move(at->second.replies);
  if (!asks_for_the_same(at->second.request, request)) {
    dropped_();
    return {};
  }
  for (AllocReply& reply : replies) {
    if (!reply.R || take(request, reply)) continue;
    dropped_();
    reply = AllocReply{};
    reply.id = request.id;
    reply.annotations =
        pending_annotations("what its scheduler chose is not to be had any more: it is asked again");
  }
  return replies;
}

std::vector<AllocReply> Decided::cancel(JobId id) {
  AllocReply reply;
  reply.id = id;
  reply.type = AllocType::cancel;
  return {reply};
}

std::vector<AllocReply> Decided::free(JobId id, const document::ResourceSet& released, bool) {
  manager_->timeline().release(id, released);
  return {};
}

std::vector<AllocReply> Decided::finish() {
  if (!decisions_.failure.empty()) throw Error{Kind::unavailable, decisions_.failure};
  return {};
}

}  // namespace fq::sched
