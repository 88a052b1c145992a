// What a submission takes from the process that submits: directory, environment, limits. Captured in one
// place, so that building a jobspec reads nothing else.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "process/start/pty.h"

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
  bool elsewhere = false;                     ///< the job's are those of another machine (come_from)
  /// The bytes of a file that an option names. Throws Error.
  std::function<std::string(const std::string& path)> read_file;
};

/// The surroundings of this process. Throws Error where it has no working directory. Not to be called while
/// other threads run: reading the umask means to set it.
[[nodiscard]] Surroundings capture_surroundings();

/// What of the surroundings another machine's jobs take from there, as JSON text.
[[nodiscard]] std::string encode_surroundings(const Surroundings& surroundings);
/// Puts directory, environment, umask and limits of another machine, as encoded there, in the place of those
/// here; files that options name are still this machine's. Throws Error{invalid}.
void come_from(Surroundings& surroundings, std::string_view encoded);

}  // namespace fq::cli
