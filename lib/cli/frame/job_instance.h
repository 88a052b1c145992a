// The instance of the batch job in which a command runs (meeting/enclosure.h).

#pragma once

#include <optional>
#include <string>

namespace fq::cli {

/// Whether the store at `path` is to be that of the job inside which this process runs, by its environment.
[[nodiscard]] bool is_job_instance(const std::string& path);

/// The store of the job inside whose instance this process works, by its environment; nothing outside of one.
[[nodiscard]] std::optional<std::string> store_around_instance();

}  // namespace fq::cli
