// Ending jobs: exceptions raised on them, of which one of severity 0 ends a job and `cancel` is one; and
// signals to the tasks of running jobs, through their shells.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "request/job_filter.h"
#include "request/refusal.h"

namespace fq::request {

struct RaiseReply {
  std::uint64_t count = 0;            ///< of jobs raised on; with dry_run, that would be
  std::vector<notation::JobId> done;  ///< they, unless they were selected
  std::vector<Refusal> refusals;
};

/// Only the owner may raise on others' jobs: a selection passes them over.
struct RaiseRequest {
  using Reply = RaiseReply;
  std::vector<notation::JobId> ids;    ///< these jobs, or
  std::vector<notation::JobId> found;  ///< those of them that are active still, or
  std::optional<JobFilter> selection;  ///< every active job that it selects
  std::string type = "cancel";
  std::uint8_t severity = 0;
  std::string note;
  bool dry_run = false;
};

struct KillReply {
  std::vector<notation::JobId> signaled;  ///< with dry_run: that would be
  std::vector<Refusal> refusals;
};

/// Gives the order to each job's shell; one that is only being started gets it first. Nothing that is stored
/// changes. Only the owner may signal others' jobs: a selection passes them over.
struct KillRequest {
  using Reply = KillReply;
  std::vector<notation::JobId> ids;    ///< these jobs, or
  std::optional<JobFilter> selection;  ///< every running job that it selects
  int signal = 0;
  bool dry_run = false;
  std::optional<notation::Idset> ranks;  ///< of the tasks that get it; none: all
};

}  // namespace fq::request
