// From submission options to jobs in the store: what submit, run, batch and bulksubmit share.

#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "cli/submit/submit_options.h"
#include "cli/submit/surroundings.h"
#include "door/door.h"
#include "notation/fluid.h"
#include "request/submit.h"

namespace fq::cli {

/// The request for one job. Throws as build_jobspec.
[[nodiscard]] request::JobGroup make_request(const SubmitOptions& options, const Surroundings& surroundings);
/// The same, for jobs whose jobspecs `jobspec` gives.
[[nodiscard]] request::JobGroup make_request(const SubmitOptions& options, request::JobspecTemplate jobspec);

/// Runs `print`, which tells the ids of jobs that were submitted. Where it fails, the error says which they
/// are.
void tell_submitted(std::span<const notation::JobId> ids, const std::function<void()>& print);
/// Prints the id of a job that was submitted.
void print_submitted(notation::JobId id);

/// Says on stderr, where that is a terminal, which limit holds back a job that was submitted without a time
/// limit: a budget counts it until the month ends.
void hint_limit(std::string_view command, const door::Door& door, const SubmitOptions& options,
                notation::JobId id);

/// The jobspecs of a request, a line each, checked as at submission: what --dry-run prints. Throws
/// Error{invalid}.
[[nodiscard]] std::string dry_run_text(const request::JobGroup& request);

}  // namespace fq::cli
