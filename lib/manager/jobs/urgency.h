// Changing the urgency of jobs that have no resources yet (RFC 21): holding, releasing, expediting them.

#pragma once

#include <cstdint>
#include <vector>

#include "manager/core/bulk.h"

namespace fq::manager {

struct UrgencyRequest {
  std::vector<JobId> ids;
  std::uint8_t urgency = job::kUrgencyDefault;
};

struct UrgencyChange {
  JobId id;
  std::uint8_t before = 0;  ///< the urgency it had
};

/// Throws Error{permission} or {refused} unless the caller may give the job this urgency now. REQUIRES that
/// the caller may act on it.
void require_urgency_change(Change& change, const job::Job& job, std::uint8_t urgency);

/// Throws Error{permission} for an urgency that is the owner's alone.
[[nodiscard]] BulkReply<UrgencyChange> set_urgency(const Session& session, const UrgencyRequest& request);

}  // namespace fq::manager
