// The end of a job, as its shell reports it: guest files into the store, then `finish`, `free`, `clean`.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "document/event/eventlog.h"
#include "manager/core/change.h"
#include "manager/run/guest.h"
#include "meeting/outcome.h"

namespace fq::manager {

struct FinishRequest {
  JobId id;
  std::uint32_t attempt = 1;
  std::int32_t status = 0;                  ///< RFC 21 finish status
  std::vector<document::Event> exceptions;  ///< to post before it
  double t_finish = 0;
  CollectedGuest guest;
};

[[nodiscard]] FinishRequest collect_finish(const meeting::JobFiles& files, JobId id, std::uint32_t attempt,
                                           const meeting::ShellOutcome& outcome);

/// Ends the job. A request of an attempt that is not the current one, or for a job that has finished, changes
/// nothing.
void finish_job(Change& change, const FinishRequest& request);

}  // namespace fq::manager
