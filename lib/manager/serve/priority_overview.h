// What priorities are made of, job by job, as the pass uses them; and what they would be with other weights.

#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "document/config.h"
#include "job/job.h"
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

/// A queue with what it says of priorities.
struct QueuePriority {
  std::string queue;  ///< empty: the anonymous one
  priority::Parameters parameters;
};
/// Of all queues, or one. Throws Error{not_found}.
[[nodiscard]] std::vector<QueuePriority> queue_priorities(const store::Reader& reader,
                                                          const std::optional<std::string>& queue);

/// What another configuration, or other weights, would make of a job.
struct SupposedRow {
  PriorityRow now, then;
};
/// What queues say of priorities, by their name; nothing for one that there is not.
using Suppose = std::function<std::optional<priority::Parameters>(const std::string& queue,
                                                                  const priority::Parameters& now)>;
/// All jobs that wait for resources and are not held, in the order in which they would be served then. Costs
/// what there are of jobs. Tiers stay as they are.
[[nodiscard]] std::vector<SupposedRow> suppose(const store::Reader& reader, const Suppose& suppose);

/// The breakdown as annotations keep it: `{"priority": {"wait_time": points, …, "sum": …}}`; empty for
/// schemes that weigh nothing.
[[nodiscard]] std::string breakdown_annotation(const priority::Explanation& explanation);

}  // namespace fq::manager
