// Jobs in JSON, and what their annotations (RFC 27) hold.

#pragma once

#include <string>
#include <string_view>

#include "cli/format/format_spec.h"
#include "cli/jobs/job_text.h"

namespace fq::cli {

/// Appends the job as one JSON object with the keys of `flux jobs --json`, unset ones left out; `qos` and
/// `ngpus` where they are set.
void append_job_json(std::string& out, const JobRow& row);

/// The annotation at a dotted path, `sched.resource_summary`; the whole for an empty path. The row's estimate
/// and reason count as `sched.t_estimate` and `sched.reason_pending`. Objects and arrays are JSON text; text
/// points into `scratch`.
[[nodiscard]] Value annotation(const JobRow& row, std::string_view path, std::string& scratch);

}  // namespace fq::cli
