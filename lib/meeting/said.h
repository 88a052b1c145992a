// guest/<id>/said: where the user's half of a job's shell says that the tasks are, in a shared store. It is
// for who asks after them: nothing is signalled, removed or freed by it. Lines as in task_record.h, `task`,
// with the pid by which the job itself knows the process, and `tmpdir`.

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "meeting/job_files.h"
#include "meeting/task_record.h"

namespace fq::meeting {

/// Notes processes or a directory. Throws Error.
void note_said(const JobFiles& files, notation::JobId id, const std::string& records);
[[nodiscard]] TaskRecords read_said(const JobFiles& files, notation::JobId id);

/// The tasks of the running attempt that were said and are there, by rank, with the pids by which this
/// machine knows them: processes below the job's shell and no others, whatever was said.
[[nodiscard]] std::vector<std::pair<std::uint32_t, pid_t>> said_tasks(const JobFiles& files,
                                                                      notation::JobId id,
                                                                      std::uint32_t attempt);

/// Where the store of the instance inside a running job would be, by what was said: whether it is there, and
/// whose it is, only who opens it can see. Nothing where none was said.
[[nodiscard]] std::optional<std::string> said_instance(const JobFiles& files, notation::JobId id);

}  // namespace fq::meeting
