// The table that fq-sim prints.

#pragma once

#include <string>

#include "sim/summary.h"

namespace fq::tools::sim {

[[nodiscard]] std::string heading();
/// The whole first, then queues and users where there are several.
[[nodiscard]] std::string table(const std::string& name, const fq::sim::Summary& summary);

}  // namespace fq::tools::sim
