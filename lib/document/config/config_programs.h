// The programs that a configuration names: schedulers, and what is run around jobs.

#pragma once

#include <set>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace fq::document {

/// Each with its arguments. REQUIRES a document that read_config accepts.
[[nodiscard]] std::set<std::vector<std::string>> named_programs(const nlohmann::json& document);

}  // namespace fq::document
