// What users and administrators want to know of queues: their state, their limits, and what they have.

#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "document/config/config.h"
#include "manager/site/queue_admin.h"
#include "request/queue.h"
#include "sched/pool.h"

namespace fq::manager {

using request::QueueOverview;

/// The queues `wanted`, or all, by name. Throws Error{not_found}.
[[nodiscard]] std::vector<QueueOverview> queue_overview(
    const Session& session, const std::optional<std::set<std::string>>& wanted = {});

}  // namespace fq::manager
