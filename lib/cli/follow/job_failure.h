// How a job failed, in words and as an exit code.

#pragma once

#include <optional>
#include <string>

#include "job/job.h"

namespace fq::cli {

/// `task(s) exited with exit code 3`, `task(s) Killed`, `canceled: NOTE`; nothing for a job that completed.
/// REQUIRES an inactive job.
[[nodiscard]] std::optional<std::string> failure_text(const job::Job& job);

/// What a command that shows the output makes of how the job ended: as job::exit_code and failure_text, but 1
/// and the reason for a job that completed and whose output could not all be written. REQUIRES an inactive
/// job.
[[nodiscard]] int exit_code_with_output(const job::Job& job);
[[nodiscard]] std::optional<std::string> failure_text_with_output(const job::Job& job);

}  // namespace fq::cli
