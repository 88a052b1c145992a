// Finding and ending all processes of a job. A live shell is child subreaper: whatever its tasks fork stays
// below it, in whatever session. Where the shell is dead, the recorded pids, the attempt's control group
// where it has one, and the attempt's mark in the processes' environment find them. Signals go through pidfds
// with the start time checked, never to a bare pid, so that a pid that was given again is never hit.

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "exec/job_files.h"
#include "exec/process_id.h"

namespace fq::exec {

/// Makes this process the parent of its orphaned descendants, or no longer.
void set_subreaper(bool on);

/// The living descendants of this process, without those that belong to fq itself: a shell or waker that a
/// task's `fq submit` started serves other jobs, and what runs below it too.
[[nodiscard]] std::vector<ProcessStat> descendants();

/// Tells processes to end, each once: what was forked while others were told is found by the next call.
class Terminator {
 public:
  /// Sends `signal`, and SIGCONT for those that are stopped, to the descendants that were not told before.
  /// Returns how many descendants there are.
  std::size_t tell(int signal);

 private:
  std::set<std::pair<pid_t, std::uint64_t>> told_;  ///< pid and start time
};

struct KillResult {
  std::uint32_t killed = 0;      ///< processes that were found and are gone
  std::vector<pid_t> survivors;  ///< those that did not end in time
};

/// Kills with SIGKILL what a dead shell left of one attempt, and waits until it is gone, at most `timeout_s`
/// seconds; removes the job's temporary directory and control group. REQUIRES that no shell of the job is
/// alive.
KillResult kill_job_processes(const JobFiles& files, notation::JobId id, std::uint32_t attempt,
                              double timeout_s = 10);

}  // namespace fq::exec
