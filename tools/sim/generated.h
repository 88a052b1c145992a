// The workload that `fq sim --generate` makes.

#pragma once

#include <string>
#include <vector>

#include "sim/workload.h"

namespace fq::tools::sim {

/// A trace in the Standard Workload Format, as the options have it. Throws Error{usage}, {combination}.
[[nodiscard]] std::string generated_trace(const Options& options, const std::vector<std::string>& operands);

}  // namespace fq::tools::sim
