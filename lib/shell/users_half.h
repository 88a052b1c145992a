// The half of a shell that runs as the user of the job, in the namespace that fq-imp made: it runs the tasks
// and opens the user's files.

#pragma once

#include "base/unique_fd.h"

namespace fq::shell {

/// Runs the job that `job` holds (signature/exec_message.h, SignedJob), joined to its keeper by `in` and
/// `out`. Returns when none of its processes is left. Throws Error where there is no job.
void run_users_half(UniqueFd job, UniqueFd in, UniqueFd out);

}  // namespace fq::shell
