// Doing something as another user, which takes root.

#pragma once

#include <functional>
#include <string>

namespace fq::process {

/// Runs `action` in a child process that is `user` for good, in the user's groups: in a session of its own,
/// with the resource limits of process 1, in the root directory, with umask 077 and the environment PATH;
/// standard I/O is this process's. Returns what `action` returns, or 128 and the signal that ended it.
/// REQUIRES a single thread, and an action that does not throw. Throws Error where there is no such user, or
/// this process may not become it.
[[nodiscard]] int do_as_user(const std::string& user, const std::function<int()>& action);

}  // namespace fq::process
