// Changing the urgency of jobs that have no resources yet (RFC 21): holding, releasing, expediting them.

#pragma once

#include <cstdint>
#include <vector>

#include "manager/core/change.h"
#include "request/alter.h"

namespace fq::manager {

using request::UrgencyChange;
using request::UrgencyRequest;

/// Throws Error{permission} or {refused} unless the caller may give the job this urgency now. REQUIRES that
/// the caller may act on it.
void require_urgency_change(Change& change, const job::Job& job, std::uint8_t urgency);

/// Throws Error{permission} for an urgency that is the owner's alone.
[[nodiscard]] request::BulkReply<UrgencyChange> set_urgency(const Session& session,
                                                            const UrgencyRequest& request);

}  // namespace fq::manager
