// Starting a program that outlives its starter: a process of its own session without parent, terminal,
// environment or descriptors of the starter.

#pragma once

#include <span>
#include <string>

#include <sys/types.h>

namespace fq::process {

/// Runs `program` with `arguments` (the first is its name) detached and returns its pid. The new process has
/// its own session, standard I/O on /dev/null, working directory `/`, umask 077, default signals, the
/// environment `PATH` and what `environment` adds (NAME=VALUE), and no other descriptors than `pass_fds`, two
/// at most, which it finds as 3 and 4. The cost does not depend on the memory of this process. Throws Error
/// when the program cannot be run.
pid_t start_detached(const std::string& program, std::span<const std::string> arguments,
                     std::span<const int> pass_fds = {}, std::span<const std::string> environment = {});

/// Becomes the program that this process runs, from its beginning, with `arguments` (the first is its name).
/// Environment, blocked signals, children, and descriptors that are not close-on-exec stay. Returns when that
/// cannot be.
void run_anew(std::span<const std::string> arguments);

/// Becomes `program` with `arguments` (the first is its name). What stays is as with run_anew. Throws Error
/// when it cannot be run.
[[noreturn]] void become(const std::string& program, std::span<const std::string> arguments);

/// Runs `program` in the same way as start_detached, but as a child in this process's session, and waits for
/// its end. Returns its wait status. Throws Error when it cannot be run.
int run_and_wait(const std::string& program, std::span<const std::string> arguments);

}  // namespace fq::process
