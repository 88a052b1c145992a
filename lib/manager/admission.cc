#include "manager/admission.h"

#include "base/error.h"
#include "base/text.h"
#include "manager/schedule_pass.h"
#include "records/instance.h"
#include "sched/matcher.h"

namespace fq::manager {

void require_open_queue(Change& change, const std::string& queue) {
  if (!queue.empty()) {
    throw error(Kind::refused, "queue {} does not exist: no queues are configured", quote(queue));
  }
  const records::QueueState state = records::read_queue_state(change.transaction(), queue);
  if (!state.enabled) throw error(Kind::refused, "job submission is disabled: {}", state.disable_reason);
}

void require_feasible(Change& change, const job::Job& facts) {
  sched::Matcher matcher(change.pool());
  if (const auto note = matcher.check_feasible(alloc_request(facts, 0))) throw Error{Kind::refused, *note};
}

}  // namespace fq::manager
