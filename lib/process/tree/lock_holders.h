// Programs of fq that serve others than the job in which they were started: the shells of jobs that were
// submitted there, a waker, a merger. Whichever installation they are of, they are known by what they do, not
// by where their files lie: they left the job's session, do not carry its mark, and hold a lock of a store.
//
// Who puts up the same on purpose is left alone, too. The same user can start what outlasts the job by other
// means (at, cron, systemd-run); cleaning up after a job is no confinement.

#pragma once

#include "process/tree/process_id.h"

namespace fq::process {

/// Whether the process serves others. REQUIRES that this process is not in its session by chance: one that is
/// counts as part of the job.
[[nodiscard]] bool serves_others(const ProcessStat& process);

}  // namespace fq::process
