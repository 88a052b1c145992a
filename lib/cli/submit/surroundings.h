// What a submission takes from the process that submits: directory, environment, limits. Captured in one
// place, so that building a jobspec reads nothing else.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "process/pty.h"

namespace fq::cli {

/// Soft limits by lower-case name (`nofile`); -1: unlimited.
using Rlimits = std::map<std::string, std::int64_t, std::less<>>;
using Environment = std::map<std::string, std::string, std::less<>>;

struct Surroundings {
  std::string cwd;          ///< absolute
  Environment environment;  ///< without entries that are not valid UTF-8, which a jobspec cannot carry
  std::vector<std::string> left_out;  ///< the names of these
  unsigned umask = 022;
  Rlimits rlimits;
  std::string home;                           ///< what `~` stands for
  std::optional<process::WindowSize> window;  ///< of the terminal that this is shown on
  double now = 0;                             ///< seconds since the epoch
  /// The bytes of a file that an option names. Throws Error.
  std::function<std::string(const std::string& path)> read_file;
};

/// The surroundings of this process. Throws Error where it has no working directory. Not to be called while
/// other threads run: reading the umask means to set it.
[[nodiscard]] Surroundings capture_surroundings();

}  // namespace fq::cli
