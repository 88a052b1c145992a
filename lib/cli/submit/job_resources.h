// The size of a job as options ask for it, as the `resources` and `tasks` of a jobspec (RFC 25).

#pragma once

#include <cstdint>
#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "cli/submit/submit_options.h"

namespace fq::cli {

/// Sets `resources`, `tasks` and, for options per resource, the shell option `per-resource` of `jobspec`, as
/// build_jobspec describes, and throws as that does. Returns the number of tasks, if it does not depend on
/// the nodes that the job gets.
std::optional<std::uint64_t> set_resources(nlohmann::json& jobspec, const SubmitOptions& options);

}  // namespace fq::cli
