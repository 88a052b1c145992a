// Signals by name or number.

#pragma once

#include <string_view>

namespace fq::notation {

/// The number of a signal: `TERM`, `SIGTERM` or `15`. Throws Error{invalid} with a near match.
[[nodiscard]] int parse_signal(std::string_view text);

}  // namespace fq::notation
