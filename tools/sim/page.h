// A simulation as one HTML page: how configurations compare, and of each the use of the machine and the queue
// over time, waits by size, and what ran where.

#pragma once

#include <string>
#include <vector>

#include "sim/machine.h"
#include "sim/summary.h"

namespace fq::tools::sim {

/// What one configuration came to; the outcome has its runs' resources.
struct Simulation {
  std::string name;
  fq::sim::Outcome outcome;
  fq::sim::Summary summary;
};

/// REQUIRES a simulation; `title` says what was simulated.
[[nodiscard]] std::string simulation_page(const std::string& title,
                                          const std::vector<Simulation>& simulations);

}  // namespace fq::tools::sim
