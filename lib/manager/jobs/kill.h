// Signals to the tasks of running jobs, through their shells. It changes nothing that is stored.

#pragma once

#include <optional>
#include <vector>

#include "manager/engine/session.h"
#include "request/end.h"

namespace fq::manager {

using request::KillReply;
using request::KillRequest;

/// Gives the order to each job's shell; one that is only being started gets it first. Jobs are accepted or
/// refused each on its own. Only the owner may signal others' jobs: a selection passes them over.
[[nodiscard]] KillReply kill_jobs(const Session& session, const KillRequest& request);

}  // namespace fq::manager
