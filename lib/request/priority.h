// What priorities are made of, job by job, as the pass uses them; and what they would be with other weights.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "document/config/config_source.h"
#include "document/resource/resource_set.h"
#include "job/job.h"
#include "priority/evaluator.h"
#include "request/refusal.h"

namespace fq::request {

struct PriorityRow {
  job::Job job;
  priority::Explanation explanation;
  /// Among the jobs that the scheduler of its queue serves, 1 the next; 0 for one that is held, or for that
  /// nobody counted so far.
  std::size_t place = 0;
};

struct PriorityReply {
  std::vector<PriorityRow> rows;  ///< in the order in which they are served
};

/// Refused with Error{not_found} for a job or a queue that there is not, Error{refused} for a job that does
/// not wait for resources.
struct PriorityRequest {
  using Reply = PriorityReply;
  std::vector<notation::JobId> ids;             ///< these, in their order; empty: all that wait for resources
  std::optional<std::set<std::string>> queues;  ///< of these queues only
  std::size_t most = 1000;                      ///< rows; of `ids` all
};

/// A queue with what it says of priorities.
struct QueuePriority {
  std::string queue;  ///< empty: the anonymous one
  priority::Parameters parameters;
};

struct QueuePrioritiesReply {
  std::vector<QueuePriority> queues;
};

/// Of all queues, or one. Refused with Error{not_found}.
struct QueuePrioritiesRequest {
  using Reply = QueuePrioritiesReply;
  std::optional<std::string> queue;
};

/// What another configuration, or other weights, would make of a job.
struct SupposedRow {
  PriorityRow now, then;
};

struct SupposeReply {
  /// All jobs that wait for resources and are not held, in the order in which they would be served then.
  std::vector<SupposedRow> rows;
};

/// Costs what there are of jobs. Tiers stay as they are. Refused with Error{invalid} for what cannot be
/// supposed.
struct SupposeRequest {
  using Reply = SupposeReply;
  std::vector<document::ConfigSource::File> config;  ///< the policies of its queues; none: those there are
  std::optional<document::ResourceSet> nodes;        ///< for which it is, where it gives some itself
  /// JSON object text, over what queues have then: `{"fair-share": 5000}`; with any, every queue is
  /// multifactor.
  std::string weights = "{}";
};

struct PriorityUpdate {
  bool was_due = false;  ///< time, or somebody before, had made a pass due
  std::uint64_t waiting = 0, running = 0;
};

/// Does what time has made due, as every change of the store does.
struct UpdatePrioritiesRequest {
  using Reply = PriorityUpdate;
};

}  // namespace fq::request
