// Starting a program whose standard input, output and errors are this process's to read and write.

#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace fq::process {

/// Runs `program` with `arguments` (the first is its name) as a child, with these descriptors as 0, 1 and 2
/// and no others, without environment, with default signals of which none is blocked. Returns its pid. Throws
/// Error when it cannot be run.
[[nodiscard]] pid_t spawn(const std::string& program, const std::vector<std::string>& arguments, int in,
                          int out, int err);

}  // namespace fq::process
