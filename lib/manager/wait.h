// Waiting for jobs without polling: sleep until one changes, then read again.

#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "job/job.h"
#include "manager/session.h"
#include "notation/fluid.h"

namespace fq::manager {

inline constexpr double kNoTimeout = std::numeric_limits<double>::infinity();

/// Runs `look` over committed states, first at once and then whenever one of `ids` (none: any job) may have
/// changed, until it returns true. Returns false when `timeout_s` passed first. Jobs whose shell was killed
/// are repaired on the way.
bool wait_until(const Session& session, std::span<const notation::JobId> ids, double timeout_s,
                const std::function<bool(const store::Reader&)>& look);

/// Waits until the job is inactive, and returns it. Throws Error{not_found}, Error{timeout}.
[[nodiscard]] job::Job wait_inactive(const Session& session, notation::JobId id,
                                     double timeout_s = kNoTimeout);

}  // namespace fq::manager
