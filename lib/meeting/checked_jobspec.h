// A jobspec as any store takes it, whatever its queues are.

#pragma once

#include <string_view>
#include <vector>

#include "document/jobspec/dependency.h"
#include "document/jobspec/jobspec.h"

namespace fq::meeting {

/// The jobspec, checked for all that no store would take: form, constraints, dependencies, shell options and
/// files. Throws Error{invalid}.
[[nodiscard]] document::Jobspec checked_jobspec(std::string_view text);

/// What it depends on.
[[nodiscard]] std::vector<document::Dependency> dependencies_of(const document::Jobspec& jobspec);

}  // namespace fq::meeting
