// A running job's sign of life: the exclusive flock on alive/<id>. Who starts a job takes the lock before the
// start is committed and hands its descriptor to the shell, so that there is no moment at which a starting
// job looks dead. A shell that ends in order unlinks the file before it exits.
//
//   alive    nothing: its shell is on its way; one zero byte: it never began;
//            `!` and a text: why it could not be started;
//            else the shell: pid SP start-time LF, both decimal (process_id.h)

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_lock.h"
#include "base/unique_fd.h"
#include "meeting/job_files.h"
#include "process/tree/process_id.h"

namespace fq::meeting {

/// The descriptor under which a shell finds its lock.
inline constexpr int kAliveFd = 3;

/// Creates alive/<id> and takes its lock. The descriptor is close-on-exec. Throws Error{refused} when a shell
/// of this job is alive.
[[nodiscard]] FileLock take_alive(const JobFiles& files, notation::JobId id);

/// For the shell: takes over descriptor kAliveFd, sets its close-on-exec flag again, so that no task can keep
/// a dead job alive, and writes into the file which process it is. Throws Error{internal} when it is not open
/// on alive/<id>.
[[nodiscard]] UniqueFd inherit_alive(const JobFiles& files, notation::JobId id);

/// True while a shell, or the starter of one, holds the lock.
[[nodiscard]] bool shell_alive(const JobFiles& files, notation::JobId id);

/// Waits until no shell of the store is alive, at most `timeout_s`.
void await_no_shell(const JobFiles& files, double timeout_s);

/// The job's shell; nothing where it has not begun, or none is known.
[[nodiscard]] std::optional<process::ProcessKey> shell_process(const JobFiles& files, notation::JobId id);

/// Lets the job's shell go on if it was stopped by a signal; one that is traced is its tracer's.
void continue_shell(const JobFiles& files, notation::JobId id) noexcept;

/// For a starter that leaves the start to another process: notes that the shell never began.
void note_not_begun(const FileLock& alive) noexcept;
/// Whether that was noted since the lock was taken.
[[nodiscard]] bool has_not_begun(const JobFiles& files, notation::JobId id);

/// For a starter: notes why the shell could not be started, where trying again is not likely to help.
void note_start_failure(const FileLock& alive, std::string_view why) noexcept;
/// What was noted since the lock was taken; nothing where it was started, or where nothing was said.
[[nodiscard]] std::optional<std::string> start_failure(const JobFiles& files, notation::JobId id);

/// Unlinks alive/<id>. Missing is fine.
void remove_alive(const JobFiles& files, notation::JobId id);

/// The jobs whose file in alive/ nobody holds, ascending: their shell, or who was to start it, died.
[[nodiscard]] std::vector<notation::JobId> lost_shells(const JobFiles& files);

}  // namespace fq::meeting
