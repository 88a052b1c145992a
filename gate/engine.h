// The engine's process, which is nobody's but the batch system's user's.

#pragma once

#include "imp/caller.h"
#include "imp/fd.h"

namespace fq::gate {

/// Reaches the engine that stays for others or, where none does, starts one as the user whom the shared store
/// belongs to, for who calls: in a session and a control group that are not the caller's, with nothing of the
/// caller's but the user's and the group's number. Returns the socket on which it answers. Throws
/// signature::Refused, imp::Failed.
[[nodiscard]] imp::Fd reach_engine(const imp::Caller& caller);

}  // namespace fq::gate
