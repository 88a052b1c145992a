// What a scheduling pass has to look at: the classes of jobs that may start, by the groups of queues that
// share nodes.

#pragma once

#include <cstdint>
#include <limits>
#include <map>

#include "manager/core/change.h"
#include "records/pending_order.h"

namespace fq::manager {

/// The classes of queues that share nodes, as far as they may start, by the group's number.
using Groups = std::map<std::uint32_t, records::JobClasses>;

struct Pending {
  Groups groups;
  /// When time alone may change what starts: the next period of a queue that has jobs here, month of a
  /// budget, or end of an advance reservation.
  double next_boundary = std::numeric_limits<double>::infinity();
  /// The same, also where nothing is free: a job may be preempted then that may not yet.
  double next_preemption = std::numeric_limits<double>::infinity();
};

/// Groups share no nodes, so none waits for another.
[[nodiscard]] Pending pending_jobs(Change& change);

/// Whether other queues have nodes of this group, too.
[[nodiscard]] bool is_shared(records::Queues& queues, std::uint32_t group);

/// Whether what is in the inventory may be given to jobs now.
[[nodiscard]] bool inventory_holds(Change& change);

}  // namespace fq::manager
