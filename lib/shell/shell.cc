#include "shell/shell.h"

#include "shell/shell_run.h"

namespace fq::shell {

meeting::ShellOutcome run_shell(const meeting::JobFiles& files, const meeting::LaunchPlan& plan,
                                const Clock& clock) {
  const ContinuedClock store_clock(plan.time, plan.boot_time, clock);
  return ShellRun{files, plan, store_clock}.run();
}

}  // namespace fq::shell
