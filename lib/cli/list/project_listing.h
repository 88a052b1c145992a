// Projects as `fq account list-projects` shows them.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/frame/common_options.h"
#include "request/accounts.h"

namespace fq::cli {

/// The listing in the format asked for, or as JSON: `{"projects": [...]}`.
[[nodiscard]] std::string list_projects(const std::vector<request::Project>& projects,
                                        const ListingOptions& options);
/// FormatNames::told of its formats.
[[nodiscard]] std::optional<std::string> project_formats_told(const ListingOptions& options);
/// Throws Error{usage} for a format, a field or a sort key that there is not.
void check_project_listing(const ListingOptions& options);

}  // namespace fq::cli
