// Raising exceptions on jobs; a severity-0 one ends the job. Cancelling is the exception `cancel`.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manager/core/bulk.h"
#include "manager/look/select.h"

namespace fq::manager {

struct RaiseRequest {
  std::vector<JobId> ids;              ///< these jobs, or
  std::vector<JobId> found;            ///< those of them that are active still, or
  std::optional<JobFilter> selection;  ///< every active job that it selects
  std::string type = "cancel";
  std::uint8_t severity = 0;
  std::string note;
  bool dry_run = false;
};

struct RaiseReply {
  std::uint64_t count = 0;  ///< of jobs raised on; with dry_run, that would be
  std::vector<JobId> done;  ///< they, unless they were selected
  std::vector<Refusal> refusals;
};

/// Only the owner may raise on others' jobs: a selection passes them over.
[[nodiscard]] RaiseReply raise(const Session& session, const RaiseRequest& request);

}  // namespace fq::manager
