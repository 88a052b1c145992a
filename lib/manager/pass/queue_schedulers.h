// The schedulers of queues, as configuration names them (`policy.scheduler`).

#pragma once

#include <memory>
#include <string>

#include "manager/core/change.h"
#include "sched/scheduler.h"

namespace fq::manager {

/// The one that is configured for a queue, for one pass. Throws Error for a configuration that cannot be
/// read, and Error{unavailable} for a program that cannot be run.
[[nodiscard]] std::unique_ptr<sched::Scheduler> scheduler_of(Change& change, const std::string& queue);

/// Whether that is a program. A configuration that cannot be read, of a later fq for example, names none.
[[nodiscard]] bool is_external(records::Queues& queues, const std::string& queue);

}  // namespace fq::manager
