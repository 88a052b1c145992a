#include "sched/decided.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "sched/annotations.h"
#include "sched/grant_check.h"
#include "sched/pool.h"
#include "sched/timeline.h"

namespace fq::sched {

using notation::JobId;

namespace {

constexpr std::size_t kMostNotSent = 256;

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
  if (at == decisions_.answered.end()) {
    missed_();
    // It takes no place of those that were sent.
    return ++not_sent_ <= kMostNotSent ? cancel(request.id) : std::vector<AllocReply>{};
  }
  std::vector<AllocReply> replies = std::exchange(at->second.replies, {});
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
  const bool is_left =
      std::any_of(decisions_.answered.begin(), decisions_.answered.end(), [](const auto& each) {
        return std::any_of(each.second.replies.begin(), each.second.replies.end(),
                           [](const AllocReply& reply) { return reply.R.has_value(); });
      });
  if (is_left) missed_();
  if (!decisions_.failure.empty()) throw Error{Kind::unavailable, decisions_.failure};
  return {};
}

}  // namespace fq::sched
