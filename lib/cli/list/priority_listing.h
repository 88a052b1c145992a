// Priorities as `fq priority` shows them: a row a job, a column a factor.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/frame/common_options.h"
#include "request/priority.h"

namespace fq::cli {

/// The listing in the format asked for, or as JSON.
[[nodiscard]] std::string list_priorities(const std::vector<request::PriorityRow>& rows,
                                          const ListingOptions& options);
/// FormatNames::told of its formats.
[[nodiscard]] std::optional<std::string> priority_formats_told(const ListingOptions& options);
/// Throws Error{usage} for a format, a field or a sort key that there is not.
void check_priority_listing(const ListingOptions& options);

/// A line for each queue: its scheme and, where it weighs factors, how.
[[nodiscard]] std::string weight_lines(const std::vector<request::QueuePriority>& queues);
[[nodiscard]] std::string weight_json(const std::vector<request::QueuePriority>& queues);

/// A line for each job: place and priority now and then.
[[nodiscard]] std::string supposed_lines(const std::vector<request::SupposedRow>& rows);
[[nodiscard]] std::string supposed_json(const std::vector<request::SupposedRow>& rows);

}  // namespace fq::cli
