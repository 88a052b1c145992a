#include "document/resource/inventory_check.h"

#include <set>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "document/resource/core_locality.h"

namespace fq::document {

void check_inventory(const ResourceSet& set) {
  if (set.empty()) throw error(Kind::invalid, "there are no nodes");
  constexpr double kYear10000 = 253402300800;
  for (const auto& [time, what] :
       {std::pair{set.starttime, "starttime"}, std::pair{set.expiration, "expiration"}}) {
    if (time >= kYear10000) throw error(Kind::invalid, "{} {} is beyond the year 9999", what, time);
  }
  std::set<std::string_view> hosts;
  std::uint64_t units = 0;
  for (const ResourceSet::Node& node : set.nodes()) {
    const std::uint64_t cores = node.cores.count(), gpus = node.gpus.count();
    if (!hosts.insert(node.host).second)
      throw error(Kind::invalid, "host {} is named twice", quote(node.host));
    if (cores == 0) throw error(Kind::invalid, "host {} has no cores", quote(node.host));
    for (const auto& [count, thing] : {std::pair{cores, "cores"}, std::pair{gpus, "GPUs"}}) {
      if (count <= kMaxPerNode) continue;
      throw error(Kind::invalid, "host {} has {} {}, at most {} are possible", quote(node.host), count, thing,
                  kMaxPerNode);
    }
    units += cores + gpus;
  }
  CoreLocality::parse(set.scheduling).check(set);
  if (units > kMaxUnits) {
    throw error(Kind::invalid, "{} cores and GPUs in all, at most {} are possible", units, kMaxUnits);
  }
}

}  // namespace fq::document
