// Making a copy of a store, taken while its jobs ran, a store of its own.

#pragma once

#include <cstdint>

#include "manager/engine/session.h"

namespace fq::manager {

/// The store is where it is now. Jobs that ran where it was copied from have failed in it; their processes
/// and directories, which are the other store's, are left alone. Returns how many have failed; none in a
/// store that is no copy. Throws Error{unavailable} for one of another machine.
std::uint64_t adopt(const Session& session);

}  // namespace fq::manager
