#include "process/user/state_directory.h"

#include <cstdlib>

#include <fmt/core.h>

namespace fq::process {

std::optional<std::string> state_directory() {
  const char* state_home = std::getenv("XDG_STATE_HOME");
  if (state_home != nullptr && *state_home == '/') return fmt::format("{}/fq", state_home);
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/') return std::nullopt;
  return fmt::format("{}/.local/state/fq", home);
}

}  // namespace fq::process
