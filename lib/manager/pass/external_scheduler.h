// A scheduler that is a program (`policy.scheduler.command`): sched::External over exec's process.

#pragma once

#include <memory>

#include "sched/external.h"
#include "sched/factory.h"

namespace fq::manager {

/// Starts the program for one pass. REQUIRES a command. Throws Error{unavailable} when it cannot be run.
[[nodiscard]] std::unique_ptr<sched::Scheduler> start_external(const sched::Parameters& parameters,
                                                               std::uint64_t queue_depth,
                                                               bool sends_unknown = false);

}  // namespace fq::manager
