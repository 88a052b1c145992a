// What users and administrators want to know of queues: their state, their limits, and what they have.

#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "document/config.h"
#include "manager/site/queue_admin.h"
#include "sched/pool.h"

namespace fq::manager {

struct QueueOverview {
  QueueStatus status;
  bool is_default = false;
  document::QueuePolicy policy;
  sched::Pool::Totals resources;  ///< of the nodes that it uses
  /// What one job may ask for: the limits, as far as the nodes allow.
  struct Range {
    std::uint64_t least = 0, most = 0;
  };
  Range nnodes, ncores, ngpus;
};

/// The queues `wanted`, or all, by name. Throws Error{not_found}.
[[nodiscard]] std::vector<QueueOverview> queue_overview(
    const Session& session, const std::optional<std::set<std::string>>& wanted = {});

}  // namespace fq::manager
