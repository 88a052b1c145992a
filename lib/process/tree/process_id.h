// Processes by pid and start time: a pid that was given again has another start time, so that no signal and
// no wait can meet the wrong process. Start times count in hundredths of a second; two owners of a pid with
// the same one would take a process that ends, and the whole range of pids given out, within that hundredth:
// three million new processes a second where pid_max is the kernel's least default, 32768.

#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/unique_fd.h"

namespace fq::process {

/// One process, of all that had its pid since the machine was started.
struct ProcessKey {
  pid_t pid = 0;
  std::uint64_t start_time = 0;  ///< clock ticks since boot
  friend auto operator<=>(const ProcessKey&, const ProcessKey&) = default;
};

/// What /proc/PID/stat tells.
struct ProcessStat : ProcessKey {
  pid_t parent = 0;
  pid_t session = 0;
  char state = '?';
  std::uint32_t threads = 1;
  /// A zombie of which threads still run has only lost its first one.
  [[nodiscard]] bool is_dead() const { return state == 'X' || (state == 'Z' && threads <= 1); }
};

/// Nothing when there is no such process.
[[nodiscard]] std::optional<ProcessStat> read_process_stat(pid_t pid);
/// Every process that /proc shows.
[[nodiscard]] std::vector<ProcessStat> read_processes();

/// The living descendants of `root`, without those that `skip` leaves out and what descends from these. What
/// comes or goes meanwhile may be missed. Cheap where the kernel tells of a process's children; else it reads
/// of every process.
[[nodiscard]] std::vector<ProcessStat> descendants_of(pid_t root,
                                                      const std::function<bool(const ProcessStat&)>& skip);

/// The pid of the process in the namespace next to the outermost one that this process sees (`NSpid` of
/// /proc/PID/status); nothing for one in that itself, or that is gone.
[[nodiscard]] std::optional<pid_t> pid_one_namespace_in(pid_t pid);

/// Whether the process lives (a zombie does not).
[[nodiscard]] bool lives(const ProcessKey& process);

/// A pidfd of the process; invalid when it is gone.
[[nodiscard]] UniqueFd open_process(const ProcessKey& process);
/// Sends a signal to what the pidfd means. False when it is gone; who may not be sent one is not.
bool send_signal(const UniqueFd& pidfd, int signal);

/// The arguments that the process was started with; none when they cannot be read: it is gone, or going.
[[nodiscard]] std::vector<std::string> arguments(pid_t pid);
/// The entries of the process's initial environment that begin with `prefix`; none where environment_has is
/// false.
[[nodiscard]] std::vector<std::string> environment_entries(pid_t pid, std::string_view prefix);
/// True if the initial environment of the process has an entry that begins with `prefix`. False when it
/// cannot be read: another user's process, or one that is gone.
[[nodiscard]] bool environment_has(pid_t pid, const std::string& prefix);

}  // namespace fq::process
