// ResourceSet over any bytes: it refuses them, or what it read can be written and read again, and every
// operation gives a set that can. Where the input has a byte 0, its two sides are two sets for the
// operations.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "document/resource/resource_set.h"
#include "fuzz/support.h"

using fq::document::ResourceSet;
using fq::fuzz::read_or_refuse;
using fq::fuzz::require;

namespace {

void check(const ResourceSet& set) {
  const std::string text = set.encode();
  const ResourceSet again = ResourceSet::parse(text);
  require(again == set);
  require(again.encode() == text);
  require(set.ranks().count() == set.nnodes());
  for (const auto& node : set.nodes()) require(set.find(node.rank) == &node);
  for (const auto& [name, ranks] : set.properties()) require(set.ranks().includes(ranks));
  (void)set.summary();
  (void)set.scheduling_writer();
}

void check_pair(const ResourceSet& a, const ResourceSet& b) {
  // Sets that have a rank on different hosts are refused, by every operation.
  const auto united = read_or_refuse([&] { return a.unite(b); });
  if (!united) return;
  const ResourceSet both = a.intersect(b);
  const ResourceSet rest = a.subtract(b);
  check(*united);
  check(both);
  check(rest);
  check(rest.append(both));
  require(united->contains(a));
  require(a.overlaps(b) == !both.empty());
  require(b.contains(a) == rest.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const std::size_t middle = text.find('\0');
  const auto set = read_or_refuse([&] { return ResourceSet::parse(text.substr(0, middle)); });
  if (!set || set->nnodes() > 1000) return 0;
  check(*set);
  check(set->remap());
  check(set->rerank(set->hostlist()));
  require(set->verify_against(*set).empty());
  const auto twice = ResourceSet::parse_several(set->encode() + set->encode());
  require(twice.size() == 2 && twice[0] == *set && twice[1] == *set);
  check(set->subset(fq::notation::Idset::from_range(1, 5)));
  if (middle == std::string_view::npos) return 0;
  const auto other = read_or_refuse([&] { return ResourceSet::parse(text.substr(middle + 1)); });
  if (other && other->nnodes() <= 1000) check_pair(*set, *other);
  return 0;
}
