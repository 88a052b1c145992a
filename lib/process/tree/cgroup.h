// Control groups (v2, the unified hierarchy), where the user may make some below its own: a group for each
// attempt of a job holds whatever the job started, however it hides, and tells it to who cleans up after a
// dead shell. Everywhere else the recorded pids and the mark in the environment have to do.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "notation/fluid.h"
#include "process/tree/recorded_directory.h"

namespace fq::process {

/// This process's path in the unified hierarchy (`/user.slice/…`); empty where there is none.
[[nodiscard]] std::string own_cgroup();
/// The directory of the group with that path, or nothing where the hierarchy is not mounted.
[[nodiscard]] std::optional<std::string> cgroup_directory(const std::string& cgroup);
/// Moves this process into the group with that directory. False when it may not.
bool join_cgroup(const std::string& directory);

/// fork(2) with the child born in the group with that directory, or in this process's where it is empty or
/// may not be entered. Moving a process that is there waits some milliseconds for the kernel; this does not.
/// REQUIRES a single thread, and a child that soon executes or exits: the C library does not know of it.
[[nodiscard]] pid_t fork_into_cgroup(const std::string& directory);

/// Makes a new group for an attempt, below this process's own, and returns its directory; nothing where that
/// is not allowed; `record` is told first. No two calls give the same: other stores may have a job of the
/// same id.
[[nodiscard]] std::optional<std::string> make_job_cgroup(notation::JobId id, std::uint32_t attempt,
                                                         const RecordPath& record = {});
/// The processes in the group and the groups below it. None when `directory` is not that of an attempt.
[[nodiscard]] std::vector<pid_t> job_cgroup_members(const std::string& directory);
/// Removes the group, and those below it, as far as they are empty. Anything but an attempt's is left alone.
void remove_job_cgroup(const std::string& directory);

}  // namespace fq::process
