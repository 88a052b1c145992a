// What commands say that act on several jobs: a line for each refusal, and counts.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "manager/bulk.h"

namespace fq::cli {

/// Prints each refusal on stderr, as `fq-job: MESSAGE`. Returns the exit code: 1 if there was any.
int print_refusals(std::string_view command, std::span<const manager::Refusal> refusals);

/// `1 job`, `2 jobs`.
[[nodiscard]] std::string count_jobs(std::size_t n);

}  // namespace fq::cli
