// The constraint syntax over any bytes: it refuses them, or gives an object that Constraint reads, and
// wrapping the text in parentheses changes nothing.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "document/resource/constraint.h"
#include "document/resource/constraint_syntax.h"
#include "fuzz/support.h"

using fq::document::Constraint;
using fq::document::parse_constraint_syntax;
using fq::fuzz::read_or_refuse;
using fq::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{reinterpret_cast<const char*>(data), size};
  const auto object = read_or_refuse([&] { return parse_constraint_syntax(text); });
  if (!object) return 0;
  require(object->is_object());
  // The syntax takes any operator and value; Constraint knows which there are.
  static_cast<void>(read_or_refuse([&] { return Constraint::parse(fq::JsonAt{*object, ""}); }));
  if (object->empty()) return 0;
  // The limit of nesting leaves one text in 32 levels without room for the parentheses.
  try {
    require(parse_constraint_syntax("(" + text + ")") == *object);
  } catch (const fq::Error& error) {
    require(std::string_view{error.what()}.find("nest at most") != std::string_view::npos);
  }
  return 0;
}
