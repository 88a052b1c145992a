// Dependencies over any bytes, as an option, a description and a JSON array: they are refused, or every form
// of what was read gives it again.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "document/jobspec/dependency.h"
#include "fuzz/support.h"

using namespace fq::document;
using fq::fuzz::read_or_refuse;
using fq::fuzz::require;

namespace {

void check(const Dependency& dependency) {
  const nlohmann::json object = to_json(dependency);
  require(dependency_from_json(fq::JsonAt{object, "d"}) == dependency);
  require(parse_description(describe(dependency)) == dependency);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  if (const auto read = read_or_refuse([&] { return parse_dependency_option(text, 1552593348); }))
    check(*read);
  if (const auto read = read_or_refuse([&] { return parse_description(text); })) check(*read);
  const auto array = read_or_refuse([&] {
    const nlohmann::json value = fq::parse_json(text, "dependencies");
    return dependencies_from_json(fq::JsonAt{value, "dependencies"});
  });
  if (!array) return 0;
  for (const Dependency& dependency : *array) check(dependency);
  return 0;
}
