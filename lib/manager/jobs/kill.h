// Signals to the tasks of running jobs, through their shells. It changes nothing that is stored.

#pragma once

#include <optional>
#include <vector>

#include "manager/core/bulk.h"
#include "manager/look/select.h"

namespace fq::manager {

struct KillRequest {
  std::vector<JobId> ids;              ///< these jobs, or
  std::optional<JobFilter> selection;  ///< every running job that it selects
  int signal = 0;
  bool dry_run = false;
};

struct KillReply {
  std::vector<JobId> signaled;  ///< with dry_run: that would be
  std::vector<Refusal> refusals;
};

/// Gives the order to each job's shell; one that is only being started gets it first. Jobs are accepted or
/// refused each on its own. Only the owner may signal others' jobs: a selection passes them over.
[[nodiscard]] KillReply kill_jobs(const Session& session, const KillRequest& request);

}  // namespace fq::manager
