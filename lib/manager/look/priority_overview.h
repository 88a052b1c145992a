// What priorities are made of, job by job, as the pass uses them; and what they would be with other weights.

#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "document/config/config_source.h"
#include "document/resource/resource_set.h"
#include "job/job.h"
#include "manager/engine/session.h"
#include "priority/evaluator.h"
#include "request/priority.h"
#include "store/reader.h"

namespace fq::manager {

using request::PriorityRequest;
using request::PriorityRow;
using request::QueuePriority;
using request::SupposedRow;
using request::SupposeRequest;

/// In the order in which they are served. Throws Error{not_found} for a job or a queue that there is not,
/// Error{refused} for a job that does not wait for resources.
[[nodiscard]] std::vector<PriorityRow> priority_rows(const Session& session, const PriorityRequest& request);

/// Of all queues, or one. Throws Error{not_found}.
[[nodiscard]] std::vector<QueuePriority> queue_priorities(const Session& session,
                                                          const std::optional<std::string>& queue);

/// All jobs that wait for resources and are not held, in the order in which they would be served then. Costs
/// what there are of jobs. Tiers stay as they are. Throws Error{invalid} for what cannot be supposed.
[[nodiscard]] std::vector<SupposedRow> suppose(const Session& session, const SupposeRequest& request);

/// The breakdown as annotations keep it: `{"priority": {"wait_time": points, …, "sum": …}}`; empty for
/// schemes that weigh nothing.
[[nodiscard]] std::string breakdown_annotation(const priority::Explanation& explanation);

}  // namespace fq::manager
