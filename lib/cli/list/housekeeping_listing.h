// What is run on nodes after jobs, as `fq housekeeping list` shows it.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/frame/common_options.h"
#include "request/housekeeping.h"

namespace fq::cli {

[[nodiscard]] std::string list_housekeeping(const std::vector<request::RunningHousekeeping>& all, double now,
                                            const ListingOptions& options);
/// FormatNames::told of its formats.
[[nodiscard]] std::optional<std::string> housekeeping_formats_told(const ListingOptions& options);
/// Throws Error{usage} for a format, a field or a sort key that there is not.
void check_housekeeping_listing(const ListingOptions& options);

}  // namespace fq::cli
