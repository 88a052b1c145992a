// Resource sets that the tests of them share.

#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include "document/resource/resource_set.h"
#include "support/error_text.h"
#include "support/test_data.h"

namespace fq::test {

/// The R of a small inventory: four nodes of four cores, two of them with GPUs.
inline nlohmann::json small() {
  return nlohmann::json::parse(R"({"version":1,"execution":{
    "R_lite":[{"rank":"0-1","children":{"core":"0-3"}},{"rank":"2-3","children":{"core":"0-3","gpu":"0-1"}}],
    "nodelist":["node[0-3]"],"properties":{"batch":"0-2","debug":"3"}}})");
}

inline document::ResourceSet read_set(const nlohmann::json& r) {
  return document::ResourceSet::parse(r.dump());
}
inline std::string refusal(const nlohmann::json& r) {
  return error_text([&] { return read_set(r); });
}

inline std::string read_data(const std::string& name) {
  std::ifstream file{test_data(name)};
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace fq::test
