// The constraint syntax over any bytes: it refuses them, or gives an object that Constraint reads, and
// wrapping the text in parentheses changes nothing.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "document/constraint.h"
#include "document/constraint_syntax.h"

using fq::document::Constraint;
using fq::document::parse_constraint_syntax;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{reinterpret_cast<const char*>(data), size};
  try {
    const nlohmann::json object = parse_constraint_syntax(text);
    require(object.is_object());
    const std::string canonical = Constraint::parse(fq::JsonAt{object, ""}).canonical();
    if (object.empty()) return 0;
    // The limit of nesting leaves one text in 32 levels without room for the parentheses.
    try {
      require(parse_constraint_syntax("(" + text + ")") == object);
    } catch (const fq::Error& error) {
      require(std::string_view{error.what()}.find("nest at most") != std::string_view::npos);
    }
  } catch (const fq::Error& error) {
    require(error.kind() == fq::Kind::invalid || error.kind() == fq::Kind::refused);
  }
  return 0;
}
