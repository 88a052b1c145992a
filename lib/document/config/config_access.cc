#include "document/config/config_access.h"

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"

namespace fq::document {

AccessConfig read_access(const ConfigAt& root) {
  AccessConfig access;
  const auto table = root.find("access");
  if (!table) return access;
  table->allow_only({"operators", "private"});
  if (const auto operators = table->find("operators")) {
    access.operators = operators->as_strings();
    for (const std::string& name : access.operators) {
      if (name.size() == 1 && name.front() == kGroupMark)
        throw operators->fail("expected the name of a group behind '@'");
    }
  }
  if (const auto is_private = table->find("private")) access.is_private = is_private->as_boolean();
  return access;
}

std::string encode_access(const AccessConfig& access) {
  if (access == AccessConfig{}) return {};
  return dump_json({{"operators", access.operators}, {"private", access.is_private}});
}

AccessConfig decode_access(std::string_view text) {
  AccessConfig access;
  if (text.empty()) return access;
  const nlohmann::json document = parse_json(text, "access configuration");
  const JsonAt at{document, "access configuration"};
  const JsonAt operators = at.at("operators").array();
  for (std::size_t i = 0; i < operators.size(); ++i) access.operators.push_back(operators.at(i).as_string());
  access.is_private = at.at("private").as_boolean();
  return access;
}

}  // namespace fq::document
