// The signals of a shell. Those that end a process by default must not end it while it holds the job; SIGCHLD
// tells of the tasks' end, and must not be taken by a thread that begins before they do.

#pragma once

#include <csignal>

#include "base/unique_fd.h"

namespace fq::shell {

/// Blocks them in this process from now on, and returns which they are.
sigset_t block_signals();
/// The same; what comes can be read from the descriptor (signalfd(2)), which does not block. A pipe whose
/// reader has gone is an error from now on, and no signal. Throws Error.
[[nodiscard]] UniqueFd watch_signals();

}  // namespace fq::shell
