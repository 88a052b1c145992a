// Which jobs a listing or a bulk request means, and in what order they come: pending in the order in which
// they will be served, then those that wait for dependencies, then running and inactive, the latest first.

#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "job/job.h"
#include "notation/hostlist.h"
#include "notation/idset.h"
#include "records/pending_order.h"
#include "request/job_filter.h"
#include "store/reader.h"

namespace fq::manager {

using request::JobFilter;

[[nodiscard]] bool matches(const JobFilter& filter, const job::Job& job);

/// Calls `visit` for every job that the filter selects, in order, until it returns false or the limit is
/// reached. Throws Error{not_found} for a queue that does not exist and has no jobs.
void visit_jobs(const store::Reader& reader, const JobFilter& filter,
                const std::function<bool(job::Job&&)>& visit);
/// How many inactive jobs the filter selects, whatever states it names; counts no further than its limit.
[[nodiscard]] std::size_t count_ended(const store::Reader& reader, const JobFilter& filter);

}  // namespace fq::manager
