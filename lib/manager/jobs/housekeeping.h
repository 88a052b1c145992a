// The end of housekeeping, as its shell reports it; what there is of it, and signals to it.

#pragma once

#include <cstdint>
#include <string>

#include "manager/core/change.h"
#include "meeting/job_files.h"
#include "meeting/perilog_outcome.h"
#include "request/housekeeping.h"

namespace fq::manager {

struct HousekeepingEnd {
  JobId id;  ///< of the housekeeping
  std::uint32_t attempt = 1;
  meeting::PerilogOutcome outcome;
  std::string output;  ///< an event log (RFC 24); empty: nothing is known of it
};

[[nodiscard]] HousekeepingEnd collect_housekeeping(const meeting::JobFiles& files, JobId id,
                                                   std::uint32_t attempt,
                                                   const meeting::PerilogOutcome& outcome);

/// Its nodes are free for others, or drained where it failed; what it wrote is kept with the job. Nothing
/// changes for an attempt that is not the current one.
void finish_housekeeping(Change& change, const HousekeepingEnd& end);

/// For request::HousekeepingRequest and request::KillHousekeepingRequest.
[[nodiscard]] request::HousekeepingReply list_housekeeping(const Session& session);
[[nodiscard]] request::KillHousekeepingReply kill_housekeeping(
    const Session& session, const request::KillHousekeepingRequest& request);

}  // namespace fq::manager
