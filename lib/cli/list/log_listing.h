// What was administered, as `fq log` shows it.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/frame/common_options.h"
#include "request/log.h"

namespace fq::cli {

[[nodiscard]] std::string list_log(const std::vector<request::LoggedEvent>& events,
                                   const ListingOptions& options);
/// FormatNames::told of its formats.
[[nodiscard]] std::optional<std::string> log_formats_told(const ListingOptions& options);
/// Throws Error{usage} for a format, a field or a sort key that there is not.
void check_log_listing(const ListingOptions& options);

}  // namespace fq::cli
