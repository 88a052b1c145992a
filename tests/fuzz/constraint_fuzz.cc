// Constraint over any bytes: it refuses them, or its canonical text means the same and is its own canonical
// text, and joining it with itself changes nothing.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "document/resource/constraint.h"
#include "document/resource/resource_set.h"
#include "fuzz/support.h"

using fq::document::Constraint;
using fq::document::ResourceSet;
using fq::fuzz::read_or_refuse;
using fq::fuzz::require;
using fq::notation::Idset;

namespace {

const ResourceSet& inventory() {
  static const ResourceSet set = [] {
    ResourceSet nodes;
    for (std::uint32_t rank = 0; rank < 8; ++rank) nodes.add({rank, "n" + std::to_string(rank), {0}, {}});
    nodes.set_property("a", Idset{0, 1, 2, 3});
    nodes.set_property("b", Idset{2, 5});
    nodes.set_property("c@gpu", Idset{7});
    return nodes;
  }();
  return set;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto constraint = read_or_refuse([&] { return Constraint::from_json_text(text); });
  if (!constraint) return 0;
  const Idset ranks = constraint->match(inventory());
  require(inventory().ranks().includes(ranks));
  require(!constraint->matches_all() || ranks == inventory().ranks());
  const Constraint again = Constraint::from_json_text(constraint->canonical());
  require(again.canonical() == constraint->canonical());
  require(again.match(inventory()) == ranks);
  const nlohmann::json value = fq::parse_json(text, "constraint");
  const nlohmann::json joined = fq::document::join_constraints(value, value);
  // Joining nests it one level deeper, which may be one too many.
  const auto both = read_or_refuse([&] { return Constraint::parse(fq::JsonAt{joined, ""}); });
  require(!both || both->match(inventory()) == ranks);
  return 0;
}
