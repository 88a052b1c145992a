// Queues as `fq queue list` and `fq queue status` show them.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/common_options.h"
#include "request/configuration.h"
#include "request/queue.h"

namespace fq::cli {

/// `batch: Job submission is enabled`, `Job submission is disabled: REASON` for the anonymous queue; newline
/// included.
[[nodiscard]] std::string submission_line(const request::QueueStatus& status);
[[nodiscard]] std::string scheduling_line(const request::QueueStatus& status);

/// Both lines of each queue.
[[nodiscard]] std::string status_lines(const std::vector<request::QueueStatus>& queues);
/// `{"queues": [...]}` with the Queue Status object of RFC 33 and the name of each.
[[nodiscard]] std::string status_json(const std::vector<request::QueueStatus>& queues);

/// What becomes of a queue that has jobs and that the configuration no longer has, or would no longer have.
[[nodiscard]] std::string vanished_line(const request::VanishedQueue& queue, bool is_loaded);

/// The listing in the format asked for, or as JSON: what status_json has, defaults, limits and resources.
[[nodiscard]] std::string list_queues(const std::vector<request::QueueOverview>& queues,
                                      const ListingOptions& options);
/// FormatNames::told of its formats.
[[nodiscard]] std::optional<std::string> queue_formats_told(const ListingOptions& options);
/// Throws Error{usage} for a format, a field or a sort key that there is not.
void check_queue_listing(const ListingOptions& options);

}  // namespace fq::cli
