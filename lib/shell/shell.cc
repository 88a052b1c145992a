#include "shell/shell.h"

#include "process/find_program.h"
#include "shell/guest_keeping.h"
#include "shell/keeper.h"
#include "shell/shell_run.h"

namespace fq::shell {

meeting::ShellOutcome run_shell(const meeting::JobFiles& files, const meeting::LaunchPlan& plan,
                                const Clock& clock) {
  const ContinuedClock store_clock(plan.time, plan.boot_time, clock);
  if (plan.signed_start) return run_keeper(files, plan, store_clock, process::find_program("fq-imp"));
  GuestKeeping keeping(files, plan, store_clock);
  return ShellRun{files, plan, store_clock, keeping}.run();
}

}  // namespace fq::shell
