// What a dead shell left behind: processes, and the places of its attempts. Processes are found by the
// recorded pids, by the recorded sessions (task_record.h), by the attempt's control group where it has one,
// and by the attempt's mark in the environment.

#pragma once

#include <cstdint>
#include <vector>

#include "exec/job_files.h"
#include "exec/process_id.h"

namespace fq::exec {

/// Sends SIGKILL to all that lives of attempts up to `attempt`, and waits for nobody. Returns those that were
/// found; none when two looks in a row found none. REQUIRES that no shell of the job is alive.
[[nodiscard]] std::vector<ProcessKey> kill_leftovers(const JobFiles& files, notation::JobId id,
                                                     std::uint32_t attempt);

/// Waits until they have ended, at most `timeout_s` seconds. Whether they have.
bool await_end(const std::vector<ProcessKey>& processes, double timeout_s);

/// Removes the temporary directories and control groups of all attempts of the job.
void remove_places(const JobFiles& files, notation::JobId id);

}  // namespace fq::exec
