// The job shell: runs the tasks of one job from launch.json to the last process gone (RFC 16, 21). It takes
// no store lock and opens no database; posting the outcome is its caller's.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "document/eventlog.h"
#include "exec/job_files.h"
#include "exec/launch.h"

namespace fq::exec {

/// The type of the exception of a job that has reached its time limit.
inline constexpr std::string_view kTimeLimit = "timelimit";
/// The type of the exception of a shell that gave up killing: processes of the job are left on its nodes.
inline constexpr std::string_view kUnkillable = "unkillable";
/// The note of the `exec` exception, of severity 1, of a job whose output could not all be written.
inline constexpr std::string_view kIncompleteOutput = "output is incomplete: it could not be written";

/// How the job's execution ended.
struct ShellOutcome {
  /// The status for RFC 21 `finish`, as wait(2) gives it for a shell: the greatest of the tasks' exit codes,
  /// 128 + signal for a task ended by a signal, times 256; 128 + SIGALRM of a job that its time limit ended.
  int status = 0;
  /// Exceptions (RFC 21) to be posted before `finish`, in order of time: `timelimit`, `exec`, kUnkillable.
  std::vector<document::Event> exceptions;
  /// When the last process was gone, or given up, seconds since the epoch.
  double t_finish = 0;

  friend bool operator==(const ShellOutcome&, const ShellOutcome&) = default;
};

/// Runs the job and returns when none of its processes is left, or the plan says that they are not waited for
/// any longer, and the outcome is written and synced to exec.eventlog. Whatever is wrong with the plan
/// becomes an `exec` exception of the outcome; a full disk is waited for. Changes this process: working
/// directory, signal mask and dispositions, child subreaper, limits to the recorded baseline; leaves a
/// descriptor open to its end. Times are the store's, continued from the plan. REQUIRES a single thread, no
/// children, and the job's alive lock.
[[nodiscard]] ShellOutcome run_shell(const JobFiles& files, const LaunchPlan& plan, const Clock& clock);

/// What a shell of this attempt recorded before it died, or nothing when it had not come to the end.
[[nodiscard]] std::optional<ShellOutcome> recorded_outcome(const JobFiles& files, notation::JobId id,
                                                           std::uint32_t attempt);

/// Whether this attempt may have executed a task's program.
[[nodiscard]] bool any_task_started(const JobFiles& files, notation::JobId id, std::uint32_t attempt);

}  // namespace fq::exec
