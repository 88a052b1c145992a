// Processes by pid and start time: a pid that was given again has another start time, so that no signal and
// no wait can meet the wrong process. Start times count in hundredths of a second; two owners of a pid with
// the same one would take a process that ends, and the whole range of pids given out, within that hundredth:
// three million new processes a second where pid_max is the kernel's least default, 32768.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/unique_fd.h"

namespace fq::exec {

/// What /proc/PID/stat tells.
struct ProcessStat {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t session = 0;
  char state = '?';
  std::uint64_t start_time = 0;  ///< clock ticks since boot
};

/// Nothing when there is no such process.
[[nodiscard]] std::optional<ProcessStat> read_process_stat(pid_t pid);
/// Every process that /proc shows.
[[nodiscard]] std::vector<ProcessStat> read_processes();

/// A pidfd of the process with that pid and start time; invalid when it is gone.
[[nodiscard]] UniqueFd open_process(pid_t pid, std::uint64_t start_time);
/// Sends a signal to what the pidfd means. False when it is gone.
bool send_signal(const UniqueFd& pidfd, int signal);

/// True if the initial environment of the process has an entry that begins with `prefix`. False when it
/// cannot be read: another user's process, or one that is gone.
[[nodiscard]] bool environment_has(pid_t pid, const std::string& prefix);

}  // namespace fq::exec
