// The half of a shell that is the batch system's, of a job in a shared store: it has the store's files of the
// job, gives orders, keeps the time limit, and says how the job ended. The other half runs as the user, under
// fq-imp(8), and is believed in nothing but what the tasks wrote and how they ended: that nothing of the job
// is left is fq-imp's word.

#pragma once

#include "base/clock.h"
#include "meeting/job_files.h"
#include "meeting/launch.h"
#include "meeting/outcome.h"

namespace fq::shell {

/// As run_shell (shell.h), for a plan with a signed start. `imp` is the path of fq-imp. `clock` gives the
/// store's time.
[[nodiscard]] meeting::ShellOutcome run_keeper(const meeting::JobFiles& files,
                                               const meeting::LaunchPlan& plan, const Clock& clock,
                                               const std::string& imp);

}  // namespace fq::shell
