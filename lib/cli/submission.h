// From submission options to jobs in the store: what submit, run, batch and bulksubmit share.

#pragma once

#include <string_view>
#include <vector>

#include "cli/submit_options.h"
#include "cli/surroundings.h"
#include "manager/submit.h"

namespace fq::cli {

/// The requests that the options stand for: one, or with copy numbers as few as share a jobspec. Throws
/// Error{usage}, Error{invalid}.
[[nodiscard]] std::vector<manager::SubmitRequest> make_requests(const SubmitOptions& options,
                                                                const CopyOptions& copies,
                                                                const Surroundings& surroundings);

/// The jobspecs of the requests, a line each: what --dry-run prints.
[[nodiscard]] std::string dry_run_text(const std::vector<manager::SubmitRequest>& requests);

}  // namespace fq::cli
