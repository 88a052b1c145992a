// A scheduler that is asked in tests, and its answers as words.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sched/backfill.h"
#include "sched/cluster.h"
#include "sched/support.h"

namespace fq::sched::test {

inline AllocRequest timed(std::uint64_t id, AllocRequest request, double duration,
                          std::uint32_t priority = 16) {
  request.id = {id};
  request.priority = priority;
  request.t_order = request.t_submit = static_cast<double>(id);
  request.duration = request.least_duration = duration;
  return request;
}

// Each reply as `id type`, with what was given or the estimate after now.
inline std::string shown(const std::vector<AllocReply>& replies) {
  std::string text;
  for (const AllocReply& reply : replies) {
    if (!text.empty()) text += "; ";
    text += fmt::format("{} {}", reply.id.value, static_cast<int>(reply.type));
    if (reply.R) text += " " + reply.R->summary();
    if (reply.type == AllocType::annotate && !reply.annotations.empty()) text += " " + reply.annotations;
    if (reply.for_class) text += " class";
  }
  return text;
}

inline std::string waits(std::uint64_t id, const std::string& reason, const std::string& estimate) {
  return fmt::format(R"({} 1 {{"sched":{{"reason_pending":"{}","t_estimate":{}}}}})", id, reason, estimate);
}

struct Served {
  explicit Served(const std::string& name, FakeManager& of) : scheduler(test::scheduler(name)), manager(of) {
    scheduler->hello(manager, kNow);
  }
  std::string alloc(const AllocRequest& request) { return shown(scheduler->alloc(request)); }
  std::string reserved() {
    std::string text;
    for (const Reservation& each : manager.timeline().reservations(true)) {
      text += fmt::format("{}{}@{} {}", text.empty() ? "" : "; ", each.id.value, each.start - kNow,
                          each.R.summary());
    }
    return text;
  }
  std::unique_ptr<Scheduler> scheduler;
  FakeManager& manager;
};

}  // namespace fq::sched::test
