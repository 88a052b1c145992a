// How a job's execution ended: what its shell says, and what one that died had recorded in the job's files.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "document/event/eventlog.h"
#include "meeting/job_files.h"

namespace fq::meeting {

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

/// What a shell of this attempt recorded before it died, or nothing when it had not come to the end.
[[nodiscard]] std::optional<ShellOutcome> recorded_outcome(const JobFiles& files, notation::JobId id,
                                                           std::uint32_t attempt);

/// Whether this attempt may have executed a task's program.
[[nodiscard]] bool any_task_started(const JobFiles& files, notation::JobId id, std::uint32_t attempt);

}  // namespace fq::meeting
