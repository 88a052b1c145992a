// Values that several commands take about jobs, as they are typed.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "notation/fluid.h"

namespace fq::cli {

/// `0`…`31`, `hold`, `default` or `expedite`. Throws Error{invalid}.
[[nodiscard]] std::uint8_t parse_urgency(std::string_view text);

/// The number of a signal: `TERM`, `SIGTERM` or `15`. Throws Error{invalid} with a near match.
[[nodiscard]] int parse_signal(std::string_view text);

/// Job ids in any of their forms, each once, in the order given. Throws Error{invalid}.
[[nodiscard]] std::vector<notation::JobId> parse_job_ids(const std::vector<std::string>& texts);

}  // namespace fq::cli
