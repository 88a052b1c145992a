// Taking nodes out of use, and back: a drained node keeps the jobs that it has and gets no new ones.

#pragma once

#include <cstdint>
#include <string>

#include "manager/engine/session.h"
#include "notation/fluid.h"
#include "notation/idset.h"
#include "request/nodes.h"

namespace fq::manager {

using request::DrainRequest;

class Change;

/// Drains nodes and returns their ranks. Throws as request::DrainRequest is refused.
notation::Idset drain_nodes(const Session& session, const DrainRequest& request);

/// Drains these nodes for the owner. Those that are drained already keep their reason, and the time of it;
/// this one is added to it where it does not stand there.
void drain(Change& change, const notation::Idset& ranks, const std::string& reason);
/// Drains the nodes of a job of which processes are left that could not be killed.
void drain_unkillable(Change& change, notation::JobId id);

/// Takes drained nodes back into use and returns their ranks. Throws as request::UndrainRequest is refused.
notation::Idset undrain_nodes(const Session& session, const std::string& targets, bool force,
                              const std::string& reason = {});

}  // namespace fq::manager
