// Machines and jobs of the simulator's tests.

#pragma once

#include <cstdint>
#include <string>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "manager/site/configure.h"
#include "sim/machine.h"

namespace fq::test {

/// This configuration for `nodes` nodes n0, n1, … that are alike.
inline document::Config configuration(const std::string& json, std::uint32_t nodes, std::uint32_t cores,
                                      std::uint32_t gpus = 0) {
  const auto inventory = document::ResourceSet::uniform(
      notation::Idset::from_range(0, nodes - 1),
      notation::Hostlist::decode(fmt::format("n[0-{}]", nodes - 1)),
      notation::Idset::from_range(0, cores - 1),
      gpus == 0 ? notation::Idset{} : notation::Idset::from_range(0, gpus - 1));
  return manager::compile_config(nlohmann::json::parse(json), inventory);
}

inline sim::TraceJob traced(std::uint64_t id, double submit, double runtime, std::uint32_t processors,
                            double limit, std::int64_t user = 1) {
  sim::TraceJob job;
  job.id = id;
  job.submit = submit;
  job.runtime = runtime;
  job.processors = processors;
  job.limit = limit;
  job.user = user;
  return job;
}

}  // namespace fq::test
