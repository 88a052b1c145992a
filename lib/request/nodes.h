// What resources there are, what is taken, and what is out of use; taking nodes out of use, and back; and
// another inventory for a store that is in use.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "document/resource/drain.h"
#include "document/resource/resource_set.h"
#include "notation/idset.h"
#include "request/refusal.h"

namespace fq::request {

struct NodesReply {
  notation::Idset ranks;
};

/// A drained node keeps the jobs that it has and gets no new ones. Refused with Error{permission} unless the
/// caller is the owner, Error{not_found} for nodes that there are not, Error{refused} for nodes that are
/// drained already or that the configuration excludes.
struct DrainRequest {
  using Reply = NodesReply;
  /// What to do about nodes that are drained already.
  enum class Drained : std::uint8_t {
    refuse,     ///< refuse the request; those without a reason get the one that is given
    keep,       ///< leave them as they are
    overwrite,  ///< give them the new reason; the time stays
    renew,      ///< give them the new reason and the time of now
  };
  std::string targets;  ///< ranks (`0-3`, RFC 22) or hosts (`node[0-3]`, RFC 29)
  std::string reason;   ///< empty: none
  Drained drained = Drained::refuse;
};

/// Takes drained nodes back into use; jobs that were waiting for them start. Refused as that, and with
/// Error{refused} for nodes that are not drained unless `force` passes them over.
struct UndrainRequest {
  using Reply = NodesReply;
  std::string targets;
  bool force = false;
  std::string reason;  ///< for the event; empty: none
};

/// The nodes of a queue, those included that are kept out of use.
struct QueueNodes {
  std::string name;
  notation::Idset ranks;
  bool is_virtual = false;  ///< they are its parent's
};

struct ResourceUse {
  document::ResourceSet inventory;
  document::ResourceSet allocated;  ///< what running jobs hold
  document::Drains drains;
  document::ResourceSet excluded;  ///< nodes that are not in the inventory: the configuration says so
  notation::Idset leaving;         ///< ranks that are there for the jobs alone that still hold them
  std::vector<QueueNodes> queues;  ///< by name; empty where none are configured
};

struct ResourceUseRequest {
  using Reply = ResourceUse;
};

struct ReloadReply {
  document::ResourceSet inventory;  ///< as it is now
  notation::Idset leaving;          ///< ranks that `wanted` does not have and jobs still hold
};

/// Replaces the inventory by `wanted`. Hosts that are there keep their rank, others get new ones. What
/// running jobs hold stays until they release it: a node of theirs that is not wanted gets no new jobs and
/// is gone with its last one. Waiting jobs that could never run any more fail. Refused with Error{permission}
/// unless the caller is the owner, Error{refused} where the configuration in force gives the nodes,
/// Error{invalid} for no nodes, for a host that is named twice, and where the configuration does not fit the
/// new nodes.
struct ReloadRequest {
  using Reply = ReloadReply;
  document::ResourceSet wanted;
};

}  // namespace fq::request
