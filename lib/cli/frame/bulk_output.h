// What commands say that act on several jobs: a line for each refusal.

#pragma once

#include <span>
#include <string_view>

#include "request/refusal.h"

namespace fq::cli {

/// Prints each refusal on stderr, as `fq-job: MESSAGE`. Returns the exit code: 1 if there was any.
int print_refusals(std::string_view command, std::span<const request::Refusal> refusals);

}  // namespace fq::cli
