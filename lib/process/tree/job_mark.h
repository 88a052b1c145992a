// The mark in the environment of every process of a job, by which the processes of a dead shell, and jobs
// inside jobs, are found.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "notation/fluid.h"

namespace fq::process {

/// The variable that marks every process of one attempt. Its value begins with job_mark.
inline constexpr std::string_view kMarkName = "FQ_JOB_ATTEMPT";
/// `<store>.<id>.`: the store as its identity tells it (meeting/job_files.h), id in dothex. The attempt
/// follows, in decimal.
[[nodiscard]] std::string job_mark(std::string_view store_identity, notation::JobId id);
/// The job of this store that a value of the variable names; nothing for another store's or any other text.
[[nodiscard]] std::optional<notation::JobId> marked_job(std::string_view mark,
                                                        std::string_view store_identity);

}  // namespace fq::process
