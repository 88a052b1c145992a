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

struct AttemptOf {
  notation::JobId id;
  std::uint32_t attempt = 0;
};

/// For files that are a copy, so that the job's mark is not theirs: whether anything lives that they record
/// of these jobs' attempts up to the named ones, or a shell of a job of that id, of whichever store.
[[nodiscard]] bool any_alive(const JobFiles& files, const std::vector<AttemptOf>& jobs);

/// Waits until they have ended, at most `timeout_s` seconds. Whether they have.
bool await_end(const std::vector<ProcessKey>& processes, double timeout_s);

/// Removes the temporary directories and control groups of all attempts of the job.
void remove_places(const JobFiles& files, notation::JobId id);

/// Keeps the record of the job's processes, and forgets that of its directories: they are another's.
void forget_places(const JobFiles& files, notation::JobId id);

}  // namespace fq::exec
