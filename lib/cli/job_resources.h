// The size of a job as options ask for it, as the `resources` and `tasks` of a jobspec (RFC 25).

#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/submit_options.h"

namespace fq::cli {

/// Sets `resources`, `tasks` and, for options per resource, the shell option `per-resource` of `jobspec`, as
/// build_jobspec describes, and throws as that does.
void set_resources(nlohmann::json& jobspec, const SubmitOptions& options);

}  // namespace fq::cli
