// The fields and named formats of job listings, as those of `flux jobs`.

#pragma once

#include <span>

#include "cli/format/format.h"
#include "cli/jobs/job_text.h"

namespace fq::cli {

[[nodiscard]] std::span<const Field<JobRow>> job_fields();
/// default, long, deps, start, endreason.
[[nodiscard]] std::span<const NamedFormat> job_formats();

}  // namespace fq::cli
