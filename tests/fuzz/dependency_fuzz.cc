// Dependencies over any bytes, as an option, a description and a JSON array: they are refused, or every form
// of what was read gives it again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "document/dependency.h"

using namespace fq::document;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const Dependency& dependency) {
  const nlohmann::json object = to_json(dependency);
  require(dependency_from_json(fq::JsonAt{object, "d"}) == dependency);
  require(parse_description(describe(dependency)) == dependency);
}

template <typename Function>
void refuse_or_check(Function&& function) {
  try {
    function();
  } catch (const fq::Error& error) {
    require(error.kind() == fq::Kind::invalid);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  refuse_or_check([&] { check(parse_dependency_option(text, 1552593348)); });
  refuse_or_check([&] { check(parse_description(text)); });
  refuse_or_check([&] {
    const nlohmann::json array = fq::parse_json(text, "dependencies");
    for (const Dependency& dependency : dependencies_from_json(fq::JsonAt{array, "dependencies"})) {
      check(dependency);
    }
  });
  return 0;
}
