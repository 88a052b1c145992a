// Resources as `fq resource list` shows them: a row a state.

#pragma once

#include <string>

#include "cli/common_options.h"
#include "manager/query.h"

namespace fq::cli {

[[nodiscard]] std::string list_resources(const manager::ResourceUse& use, const ListingOptions& options);
[[nodiscard]] std::string resource_format_help();

}  // namespace fq::cli
