// The housekeeping of nodes that a job has given back: it begins in the transaction that has the job's
// `free`, and its nodes are free for others when it is over.

#pragma once

#include <optional>

#include "document/resource/resource_set.h"
#include "manager/core/change.h"
#include "meeting/launch.h"
#include "records/housekeeping.h"

namespace fq::manager {

/// Begins what the configuration has for a job that gives back all it holds; false where there is nothing.
/// What it holds stays allocated.
[[nodiscard]] bool begin_housekeeping(Change& change, const job::Job& job);

/// Has the shell of it started, by this process as far as it has room, else by the next transaction.
void start_housekeeping(Change& change, JobId id);

/// What that shell is told.
[[nodiscard]] meeting::LaunchPlan housekeeping_plan(Change& change,
                                                    const records::Housekeeping& housekeeping);

}  // namespace fq::manager
