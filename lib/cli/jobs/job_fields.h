// The fields and named formats of job listings, as those of `flux jobs`.

#pragma once

#include <span>

#include "cli/format/format.h"
#include "cli/jobs/job_text.h"

namespace fq::cli {

[[nodiscard]] std::span<const Field<JobRow>> job_fields();
/// Whether what is shown of jobs, or sorts them, is the instances inside them.
[[nodiscard]] bool wants_instances(const Format<JobRow>& format, std::span<const SortKey> keys);
/// default, long, deps, start, endreason.
[[nodiscard]] std::span<const NamedFormat> job_formats();

}  // namespace fq::cli
