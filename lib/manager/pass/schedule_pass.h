// The scheduling pass: gives pending jobs what is free, in the order of their priority, through a scheduler
// that speaks RFC 27's vocabulary. It costs what changed plus the classes it visits, never what is pending.

#pragma once

#include "manager/core/change.h"
#include "sched/scheduler.h"

namespace fq::manager {

/// Runs passes until nothing more can start, or the change has no room for more starts (then it sets
/// effects().pass_unfinished). None where change.pass_is_due() is false or the inventory is not valid now.
void schedule_pass(Change& change);

/// The request that a job makes of the scheduler.
[[nodiscard]] sched::AllocRequest alloc_request(const job::Job& job, std::uint32_t priority);

}  // namespace fq::manager
