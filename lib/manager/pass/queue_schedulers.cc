#include "manager/pass/queue_schedulers.h"

#include "base/error.h"
#include "base/json.h"
#include "manager/pass/external_scheduler.h"
#include "manager/site/queue_admin.h"
#include "process/start/roots_program.h"
#include "sched/factory.h"

namespace fq::manager {
namespace {

sched::Parameters scheduler_parameters(records::Queues& queues, const std::string& queue) {
  const std::string& configured = queues.require(queue).policy.scheduler;
  return configured.empty() ? sched::Parameters{}
                            : sched::read_parameters(parse_json(configured, "scheduler"));
}

// How many jobs wait in the queues that it serves.
std::uint64_t depth_of(Change& change, const std::string& queue) {
  std::uint64_t depth = 0;
  for (const auto& [name, counts] : records::read_counts_by_queue(change.transaction())) {
    const auto waiting = counts.find("S");
    if (waiting == counts.end() || change.queues().find(name) == nullptr) continue;
    if (change.queues().served_by(name) == queue) depth += waiting->second;
  }
  return depth;
}

}  // namespace

std::unique_ptr<sched::Scheduler> scheduler_of(Change& change, const std::string& queue) {
  const sched::Parameters parameters = scheduler_parameters(change.queues(), queue);
  if (parameters.command.empty()) return sched::make_scheduler(parameters, queue);
  const std::string why = process::why_not_roots(change.session().store, parameters.command.front());
  if (!why.empty()) throw Error{Kind::unavailable, why};
  return start_external(parameters, depth_of(change, queue));
}

bool is_external(records::Queues& queues, const std::string& queue) {
  try {
    return !scheduler_parameters(queues, queue).command.empty();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace fq::manager
