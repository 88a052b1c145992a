// Idset::decode over any bytes: it refuses them, or what it read can be written and read again. Where the
// input has a semicolon, its two sides are two sets for the operations.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/support.h"
#include "notation/idset.h"

using fq::fuzz::read_or_refuse;
using fq::fuzz::require;
using fq::notation::Idset;

namespace {

void check_invariant(const Idset& set) {
  const auto& ranges = set.ranges();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    require(ranges[i].first <= ranges[i].last);
    require(i == 0 || std::uint64_t{ranges[i - 1].last} + 1 < ranges[i].first);
  }
}

void check_pair(const Idset& a, const Idset& b) {
  for (const Idset& set : {a.unite(b), a.intersect(b), a.subtract(b), a.first_n(b.count())}) {
    check_invariant(set);
  }
  require(a.unite(b) == b.unite(a));
  require(a.intersect(b) == b.intersect(a));
  require(a.subtract(b).unite(a.intersect(b)) == a);
  require(a.intersects(b) == !a.intersect(b).empty());
  require(a.includes(b) == (a.unite(b) == a));
  Idset inserted = a;
  Idset erased = a;
  for (const auto& range : b.ranges()) {
    inserted.insert(range.first, range.last);
    erased.erase(range.first, range.last);
  }
  require(inserted == a.unite(b));
  require(erased == a.subtract(b));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  if (const auto whole = read_or_refuse([&] { return Idset::decode(text); })) {
    check_invariant(*whole);
    require(Idset::decode(whole->encode()) == *whole);
    require(Idset::decode(whole->encode_brackets()) == *whole);
  }
  const std::size_t middle = text.find(';');
  if (middle == std::string_view::npos) return 0;
  const auto a = read_or_refuse([&] { return Idset::decode(text.substr(0, middle)); });
  const auto b = read_or_refuse([&] { return Idset::decode(text.substr(middle + 1)); });
  if (a && b) check_pair(*a, *b);
  return 0;
}
