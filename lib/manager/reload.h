// Another inventory for a store that is in use: nodes come, go and change while jobs run.

#pragma once

#include "document/resource_set.h"
#include "manager/session.h"
#include "notation/idset.h"

namespace fq::manager {

struct ReloadReply {
  document::ResourceSet inventory;  ///< as it is now
  notation::Idset
      leaving;  ///< ranks that `wanted` does not have and jobs still hold: drained until they do not
};

/// Replaces the inventory by `wanted`. Hosts that are there keep their rank, others get new ones. What
/// running jobs hold stays until it is free: a node of theirs that is not wanted is drained, and gone with
/// the next reload after their end. Waiting jobs that could never run any more fail. Throws Error{permission}
/// unless the caller is the owner, Error{invalid} for no nodes, for a host that is named twice, and where the
/// configuration in force does not fit the new nodes.
ReloadReply reload_inventory(const Session& session, const document::ResourceSet& wanted);

}  // namespace fq::manager
