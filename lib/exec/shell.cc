#include "exec/shell.h"

#include <algorithm>

#include "base/file.h"
#include "exec/shell_run.h"
#include "exec/task_record.h"

namespace fq::exec {

ShellOutcome run_shell(const JobFiles& files, const LaunchPlan& plan, const Clock& clock) {
  const ContinuedClock store_clock(plan.time, plan.boot_time, clock);
  return ShellRun{files, plan, store_clock}.run();
}

bool any_task_started(const JobFiles& files, notation::JobId id, std::uint32_t attempt) {
  const TaskRecords records = decode_records(read_file_if_exists(files.tasks(id)).value_or(""));
  return std::any_of(records.tasks.begin(), records.tasks.end(),
                     [attempt](const TaskRecord& task) { return task.attempt == attempt; });
}

}  // namespace fq::exec
