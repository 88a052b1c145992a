// The fields of a jobspec as they are read from its JSON document, and the checks of RFC 25 that it passes on
// the way. For jobspec.cc alone: everybody else sees a Jobspec.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "document/jobspec/jobspec.h"

namespace fq::document {

struct JobspecFields {
  ResourceCounts counts;
  std::uint32_t ntasks = 0;
  std::uint32_t tasks_per_node = 0;
  std::uint32_t tasks_per_core = 0;
  bool batch = false;
  double duration = 0;
  std::vector<std::string> command;
  std::string cwd, queue, bank, project, qos, name;
  bool explicit_name = false;
  // Within the document, or null.
  const nlohmann::json* constraints = nullptr;
  const nlohmann::json* dependencies = nullptr;
  const nlohmann::json* environment = nullptr;
  const nlohmann::json* shell_options = nullptr;
};

/// Checks the whole document and fills in `fields`, which then points into it. Throws Error{invalid} `PATH:
/// …`.
void read_jobspec(const nlohmann::json& root, JobspecFields& fields);

}  // namespace fq::document
