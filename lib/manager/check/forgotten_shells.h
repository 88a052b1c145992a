// Job shells that live though the store knows of no job that runs there: what was lost or given up in a
// repair was known to them. Nobody may be given what they hold.

#pragma once

#include "manager/check/check_jobs.h"
#include "manager/core/change.h"

namespace fq::manager {

/// Ends their tasks and waits for that; of those that do not end in time the nodes are drained. A job that
/// would start again is over. `report` is told of each, a line. For a repair alone: it waits under the lock.
void end_forgotten_shells(Change& change, const Report& report);

}  // namespace fq::manager
