// Queues as `fq queue list` and `fq queue status` show them.

#pragma once

#include <string>
#include <string_view>

#include "cli/common_options.h"
#include "records/instance.h"

namespace fq::cli {

/// `batch: Job submission is enabled`, `Job submission is disabled: REASON` for the anonymous queue; newline
/// included.
[[nodiscard]] std::string submission_line(std::string_view queue, const records::QueueState& state);
[[nodiscard]] std::string scheduling_line(std::string_view queue, const records::QueueState& state);

/// Both lines; `verbose` adds how many jobs wait for and hold resources. Throws Error{not_found} for an
/// unknown queue.
[[nodiscard]] std::string queue_status(const store::Reader& reader, std::string_view queue, bool verbose);
/// The listing in the format asked for, or as JSON.
[[nodiscard]] std::string list_queues(const store::Reader& reader, const ListingOptions& options);
[[nodiscard]] std::string queue_format_help();

}  // namespace fq::cli
