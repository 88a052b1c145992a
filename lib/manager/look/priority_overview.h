// What priorities are made of, job by job, as the pass uses them; and what they would be with other weights.

#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "document/config_source.h"
#include "document/resource_set.h"
#include "job/job.h"
#include "manager/engine/session.h"
#include "priority/evaluator.h"
#include "store/reader.h"

namespace fq::manager {

struct PriorityRow {
  job::Job job;
  priority::Explanation explanation;
  /// Among the jobs that the scheduler of its queue serves, 1 the next; 0 for one that is held, or for that
  /// nobody counted so far.
  std::size_t place = 0;
};

struct PriorityRequest {
  std::vector<notation::JobId> ids;             ///< these, in their order; empty: all that wait for resources
  std::optional<std::set<std::string>> queues;  ///< of these queues only
  std::size_t most = 1000;                      ///< rows; of `ids` all
};

/// In the order in which they are served. Throws Error{not_found} for a job or a queue that there is not,
/// Error{refused} for a job that does not wait for resources.
[[nodiscard]] std::vector<PriorityRow> priority_rows(const store::Reader& reader,
                                                     const PriorityRequest& request);
[[nodiscard]] std::vector<PriorityRow> priority_rows(const Session& session, const PriorityRequest& request);

/// A queue with what it says of priorities.
struct QueuePriority {
  std::string queue;  ///< empty: the anonymous one
  priority::Parameters parameters;
};
/// Of all queues, or one. Throws Error{not_found}.
[[nodiscard]] std::vector<QueuePriority> queue_priorities(const Session& session,
                                                          const std::optional<std::string>& queue);

/// What another configuration, or other weights, would make of a job.
struct SupposedRow {
  PriorityRow now, then;
};
/// What is supposed.
struct SupposeRequest {
  std::vector<document::ConfigSource::File> config;  ///< the policies of its queues; none: those there are
  std::optional<document::ResourceSet> nodes;        ///< for which it is, where it gives some itself
  /// Over what queues have then: `{"fair-share": 5000}`; with any, every queue is multifactor.
  nlohmann::json weights = nlohmann::json::object();
};
/// All jobs that wait for resources and are not held, in the order in which they would be served then. Costs
/// what there are of jobs. Tiers stay as they are. Throws Error{invalid} for what cannot be supposed.
[[nodiscard]] std::vector<SupposedRow> suppose(const Session& session, const SupposeRequest& request);

/// The breakdown as annotations keep it: `{"priority": {"wait_time": points, …, "sum": …}}`; empty for
/// schemes that weigh nothing.
[[nodiscard]] std::string breakdown_annotation(const priority::Explanation& explanation);

}  // namespace fq::manager
