// From submission options to jobs in the store: what submit, run, batch and bulksubmit share.

#pragma once

#include <string>

#include "cli/submit_options.h"
#include "cli/surroundings.h"
#include "manager/submit.h"

namespace fq::cli {

/// The request for one job. Throws Error{usage}.
[[nodiscard]] manager::SubmitRequest make_request(const SubmitOptions& options,
                                                  const Surroundings& surroundings);
/// The same, for jobs whose jobspecs `jobspec` gives.
[[nodiscard]] manager::SubmitRequest make_request(const SubmitOptions& options,
                                                  manager::JobspecTemplate jobspec);

/// The jobspecs of a request, a line each, checked as at submission: what --dry-run prints. Throws
/// Error{invalid}.
[[nodiscard]] std::string dry_run_text(const manager::SubmitRequest& request);

}  // namespace fq::cli
