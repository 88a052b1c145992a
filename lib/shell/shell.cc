#include "shell/shell.h"

#include <unistd.h>

#include "process/start/find_program.h"
#include "shell/guest_keeping.h"
#include "shell/keeper.h"
#include "shell/shell_run.h"

namespace fq::shell {

meeting::ShellOutcome run_shell(const meeting::JobFiles& files, const meeting::LaunchPlan& plan,
                                const Clock& clock) {
  const ContinuedClock store_clock(plan.time, plan.boot_time, clock);
  // Nothing of another user's runs as this one, whatever a plan lacks.
  if (plan.signed_start || plan.userid != ::geteuid())
    return run_keeper(files, plan, store_clock, plan.signed_start ? process::find_program("fq-imp") : "");
  GuestKeeping keeping(files, plan, store_clock);
  return ShellRun{files, plan, store_clock, keeping}.run();
}

}  // namespace fq::shell
