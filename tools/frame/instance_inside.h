// The instance inside a job, as a command that looks from outside meets it.

#pragma once

#include <string>

#include "cli/frame/common_options.h"
#include "door/door.h"
#include "job/job.h"

namespace fq::tools {

/// Whether `store`, which is said to be inside `job`, can be there. On this machine, for the job's own user,
/// it is looked for: behind the gate nobody else may, and nobody looks at a path that another names.
[[nodiscard]] bool may_be_there(const door::Door& door, const cli::CommonOptions& options,
                                const fq::job::Job& job, const std::string& store);

}  // namespace fq::tools
