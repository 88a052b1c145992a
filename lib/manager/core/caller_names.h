// What the system calls who asks. The names come from the system's user database, which may be slow or far
// away: they are looked up only where a policy asks for them, and never while the store is locked.

#pragma once

#include <functional>

#include "manager/engine/session.h"

namespace fq::manager {

/// The names of the caller. To be called from inside with_names, or with the names known.
[[nodiscard]] const process::Names& caller_names(const Credential& caller);

/// The session with the caller's names.
[[nodiscard]] Session named(const Session& session);

/// Runs `request`, which has changed nothing before it checks access, with this session; where it turns out
/// to need the caller's names, nothing of it is kept, they are looked up and it runs once more.
void with_names(const Session& session, const std::function<void(const Session&)>& request);

}  // namespace fq::manager
