// Where a user's programs keep what they remember.

#pragma once

#include <optional>
#include <string>

namespace fq::process {

/// Where a user's programs keep their state: $XDG_STATE_HOME/fq, else ~/.local/state/fq. Nothing where the
/// environment names no home.
[[nodiscard]] std::optional<std::string> state_directory();

}  // namespace fq::process
