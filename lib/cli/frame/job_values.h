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

/// The job id that a command line names, in any of its forms. Throws Error{usage}.
[[nodiscard]] notation::JobId parse_job_id(const std::string& text);

/// The same of several, each once, in the order given.
[[nodiscard]] std::vector<notation::JobId> parse_job_ids(const std::vector<std::string>& texts);

/// A message about jobs with their ids as they were typed: as parse_job_id has read them in this process.
[[nodiscard]] std::string as_typed(std::string_view message);

}  // namespace fq::cli
