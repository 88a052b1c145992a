// What of a job goes through the command that attaches to it: its input, and its terminal.

#pragma once

#include <optional>
#include <string>

#include "cli/follow/attach.h"

namespace fq::cli {

/// What is true of one job for one command.
struct AttachWays {
  bool takes_input = false;    ///< what comes on the command's stdin
  bool has_terminal = false;   ///< one that is to be shown here
  bool logs_terminal = false;  ///< what is written on that stands in the output, too
};

/// Whether `find_ways` needs the jobspec.
[[nodiscard]] bool asks_jobspec(const AttachOptions& options);

/// Decides it for a job by what the command was asked for and the job's jobspec, JSON (none: asks_jobspec is
/// false, or the job has none). Says on stderr when a file is given that the job will not take. Throws
/// Error{invalid} for a jobspec that is none.
[[nodiscard]] AttachWays find_ways(const AttachOptions& options, const job::Job& job,
                                   const std::optional<std::string>& jobspec);

/// Throws Error{refused} where ranks are chosen for input that the job does not take, and Error{invalid} for
/// ranks that it has not.
void check_input_ranks(const AttachOptions& options, const job::Job& job, const AttachWays& ways);

}  // namespace fq::cli
