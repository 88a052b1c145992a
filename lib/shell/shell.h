// The job shell: runs the tasks of one job from launch.json to the last process gone (RFC 16, 21). It takes
// no store lock and opens no database; posting the outcome is its caller's.

#pragma once

#include "base/clock.h"
#include "meeting/job_files.h"
#include "meeting/launch.h"
#include "meeting/outcome.h"

namespace fq::shell {

/// Runs the job and returns when none of its processes is left, or the plan says that they are not waited for
/// any longer, and the outcome is written and synced to exec.eventlog. Whatever is wrong with the plan
/// becomes an `exec` exception of the outcome; a full disk is waited for. Changes this process: working
/// directory, signal mask and dispositions, child subreaper, limits to the recorded baseline; leaves a
/// descriptor open to its end. Where the plan has a signed start the tasks are those of another process, of
/// the user (keeper.h). Times are the store's, continued from the plan. REQUIRES a single thread, no
/// children, and the job's alive lock.
[[nodiscard]] meeting::ShellOutcome run_shell(const meeting::JobFiles& files, const meeting::LaunchPlan& plan,
                                              const Clock& clock);

}  // namespace fq::shell
