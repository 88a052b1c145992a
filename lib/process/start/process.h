// Starting tasks: fork, wait until the shell has recorded the new processes, exec. A shell that dies in
// between leaves no task behind: the children see their pipe closed and exit.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/unique_fd.h"
#include "notation/idset.h"
#include "process/machine/numa.h"
#include "process/start/rlimits.h"

namespace fq::process {

/// One process to be started. Everything that it does not name is reset: signals, process group, descriptors.
struct TaskCommand {
  std::uint32_t rank = 0;
  std::vector<std::string> arguments;    ///< the first names the program, found on the PATH of `environment`
  std::vector<std::string> environment;  ///< NAME=VALUE
  std::optional<notation::Idset> cpus;   ///< affinity; those that are not there are left out
  notation::Idset memory_nodes;          ///< NUMA nodes that memory comes from; empty: as the kernel chooses
  MemoryFrom memory_from = MemoryFrom::nodes_first;
  std::vector<FittedLimits::Limit> limits;
  mode_t umask = 022;
  std::optional<int> oom_score_adj;
  bool new_process_group = true;
  std::string cgroup;  ///< directory of the control group to join; empty: stay
  int stdin_fd = -1;   ///< stays the caller's; -1: the task opens `stdin_path`
  /// Opened by the task itself, which waits for a FIFO's writer and can be ended meanwhile.
  std::string stdin_path;
  /// A terminal for stdout and stderr, and the task's controlling one, with a session of its own; -1: pipes.
  /// Stays the caller's.
  int terminal_fd = -1;
  /// A descriptor that the task has under the same number; -1: none. Stays the caller's.
  int kept_fd = -1;
  /// The task stops when it has come to its program, for a debugger, until it gets SIGCONT. The caller
  /// detaches it from tracing when waitpid() tells of the stop.
  bool stop_in_exec = false;
};

struct StartedTask {
  std::uint32_t rank = 0;
  pid_t pid = 0;
  std::uint64_t start_time = 0;
  UniqueFd out;  ///< non-blocking read ends; none for a terminal
  UniqueFd err;
  UniqueFd failed;  ///< end of file once the program runs; else the errno of why it does not, as an int
};

/// Forks every command, calls `record` with all of them, and lets them run. When `record` throws none is
/// executed. Throws Error when no process (after some seconds of trying) or pipe can be made; then none is
/// executed either. The exit status of a task that cannot be executed is 126, or 127 when the program is not
/// found.
[[nodiscard]] std::vector<StartedTask> start_tasks(
    const std::vector<TaskCommand>& commands,
    const std::function<void(const std::vector<StartedTask>&)>& record);

/// The errno that a failed task left in its pipe; nothing when it was executed, or when it is not known yet
/// (`pending` is set).
[[nodiscard]] std::optional<int> start_failure(const UniqueFd& failed, bool& pending);

/// What `reason`, the errno with which the program of `command` was not run, says of it: `No such file or
/// directory`, `it is a directory`, `it is not executable`, `its interpreter '/bin/ksh' is not there`.
[[nodiscard]] std::string why_not_run(const TaskCommand& command, int reason);

}  // namespace fq::process
