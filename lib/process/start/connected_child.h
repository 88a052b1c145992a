// A program that is spoken to through a socket, which is its stdin and its stdout.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"

namespace fq::process {

/// Starts `command`, whose first word is a path or a name on PATH, and returns this process's end of a stream
/// socket. The program has this process's stderr, environment and process group, ignores SIGINT, which is
/// this one's to answer, and no other descriptor of it; it learns by the end of its input that it is not
/// needed any more. Throws Error{unavailable} when it cannot be run.
[[nodiscard]] UniqueFd start_connected(const std::vector<std::string>& command);

struct Answer {
  std::string output, errors;
  int code = 0;  ///< its exit code, or 128 and the signal that ended it
};

/// Starts `command` in the same way but for its stderr, lets it read `input`, and returns what it wrote until
/// its end. Throws as that.
[[nodiscard]] Answer ask_program(const std::vector<std::string>& command, std::string_view input);

}  // namespace fq::process
