// Another inventory for a store that is in use: nodes come, go and change while jobs run.

#pragma once

#include "document/resource_set.h"
#include "manager/engine/session.h"
#include "notation/idset.h"
#include "request/nodes.h"

namespace fq::manager {

using request::ReloadReply;

/// Replaces the inventory by `wanted`. Hosts that are there keep their rank, others get new ones. What
/// running jobs hold stays until they release it: a node of theirs that is not wanted gets no new jobs and
/// is gone with its last one. Waiting jobs that could never run any more fail. Throws Error{permission}
/// unless the caller is the owner, Error{refused} where the configuration in force gives the nodes,
/// Error{invalid} for no nodes, for a host that is named twice, and where the configuration does not fit the
/// new nodes.
ReloadReply reload_inventory(const Session& session, const document::ResourceSet& wanted);

}  // namespace fq::manager
