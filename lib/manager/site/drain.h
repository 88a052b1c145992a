// Taking nodes out of use, and back: a drained node keeps the jobs that it has and gets no new ones.

#pragma once

#include <cstdint>
#include <string>

#include "manager/engine/session.h"
#include "notation/fluid.h"
#include "notation/idset.h"

namespace fq::manager {

class Change;

struct DrainRequest {
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

/// Drains nodes and returns their ranks. Throws Error{permission} unless the caller is the owner,
/// Error{not_found} for nodes that there are not, Error{refused} for nodes that are drained already or that
/// the configuration excludes.
notation::Idset drain_nodes(const Session& session, const DrainRequest& request);

/// Drains these nodes for the owner. Those that are drained already stay as they are.
void drain(Change& change, const notation::Idset& ranks, const std::string& reason);
/// Drains the nodes of a job of which processes are left that could not be killed.
void drain_unkillable(Change& change, notation::JobId id);

/// Takes drained nodes back into use and returns their ranks; jobs that were waiting for them start. Throws
/// as drain_nodes, Error{refused} for nodes that are not drained unless `force` passes them over. The event
/// has the reason, where one is given.
notation::Idset undrain_nodes(const Session& session, const std::string& targets, bool force,
                              const std::string& reason = {});

}  // namespace fq::manager
