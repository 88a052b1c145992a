// Starting jobs.

#pragma once

#include <string>

#include "document/resource/resource_set.h"
#include "manager/core/change.h"
#include "meeting/launch.h"

namespace fq::manager {

/// Gives `r` to a job and makes it run: R, `alloc`, `start`, or `prolog-start` where it has one; its shell is
/// to be started once that is committed. `annotations` is JSON object text or empty.
void start_job(Change& change, JobId id, const document::ResourceSet& r, const std::string& annotations);

/// What the shell of the job's current attempt is told: what is to be done next. REQUIRES a job that was
/// given its resources.
[[nodiscard]] meeting::LaunchPlan launch_plan(Change& change, JobId id);

/// Starts another shell for a job that lost its own before any task started, or while its prolog or epilog
/// was run; `again` says that the lost one had begun, which makes it another attempt. False when there is no
/// room for one more.
bool restart_job(Change& change, JobId id, bool again);

}  // namespace fq::manager
