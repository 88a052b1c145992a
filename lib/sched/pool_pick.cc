// Which cores and GPUs of a node are given: those that are near each other. See pool.h.

#include <algorithm>
#include <utility>

#include "document/resource/core_locality.h"
#include "sched/pool.h"
#include "sched/pool_bits.h"

namespace fq::sched {

using document::ResourceSet;
using notation::Idset;

namespace {

// So many of the lowest.
Idset lowest(const Idset& ids, std::uint64_t wanted) {
  Idset found;
  for (const Idset::Range& range : ids.ranges()) {
    if (wanted == 0) break;
    const std::uint64_t n = std::min<std::uint64_t>(wanted, std::uint64_t{range.last} - range.first + 1);
    found.insert(range.first, range.first + static_cast<std::uint32_t>(n - 1));
    wanted -= n;
  }
  return found;
}

}  // namespace

// The group of GPUs that has enough of both, and of these the one that keeps the fewest; where none has, as
// many as possible of the groups that have the most free cores.
Idset Pool::near_gpus(std::size_t node, std::uint32_t ncores, std::uint32_t ngpus) const {
  const Node& have = nodes_[node];
  const ResourceSet::Node& whole = inventory_->nodes()[node];
  const std::uint64_t* taken = taken_bits_.data() + have.first_word;
  const Idset free_gpus = free_ids(taken, whole.gpus, have.cores, have.free_gpus);
  const Idset free_cores = free_ids(taken, whole.cores, 0, have.free_cores);
  struct Group {
    Idset gpus;
    std::uint64_t cores;
  };
  std::vector<Group> groups;
  for (const Locality& each : localities_->at(node))
    groups.push_back({each.gpus.intersect(free_gpus), each.cores.intersect(free_cores).count()});
  const Group* best = nullptr;
  for (const Group& each : groups) {
    if (each.gpus.count() < ngpus || each.cores < ncores) continue;
    const auto kept = [](const Group& group) { return std::pair{group.gpus.count(), group.cores}; };
    if (best == nullptr || kept(each) < kept(*best)) best = &each;
  }
  if (best != nullptr) return lowest(best->gpus, ngpus);
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.cores > b.cores; });
  Idset chosen;
  for (const Group& each : groups) chosen = chosen.unite(lowest(each.gpus, ngpus - chosen.count()));
  return chosen.unite(lowest(free_gpus.subtract(chosen), ngpus - chosen.count()));
}

Idset Pool::near_cores(std::size_t node, const Idset& gpus, std::uint32_t ncores) const {
  const Node& have = nodes_[node];
  const ResourceSet::Node& whole = inventory_->nodes()[node];
  const Idset free = free_ids(taken_bits_.data() + have.first_word, whole.cores, 0, have.free_cores);
  Idset near;
  for (const Locality& each : localities_->at(node)) {
    if (each.gpus.intersects(gpus)) near = near.unite(each.cores);
  }
  const Idset chosen = lowest(free.intersect(near), ncores);
  return chosen.unite(lowest(free.subtract(chosen), ncores - chosen.count()));
}

ResourceSet::Node Pool::pick(std::size_t node, std::uint32_t ncores, std::uint32_t ngpus) const {
  const Node& have = nodes_[node];
  const ResourceSet::Node& whole = inventory_->nodes()[node];
  if (ncores == have.cores && ngpus == have.gpus) return whole;
  if (ngpus > 0 && localities_ && localities_->contains(node)) {
    Idset gpus = near_gpus(node, ncores, ngpus);
    Idset cores = near_cores(node, gpus, ncores);
    return {whole.rank, whole.host, std::move(cores), std::move(gpus)};
  }
  const std::uint64_t* taken = taken_bits_.data() + have.first_word;
  return {whole.rank, whole.host, free_ids(taken, whole.cores, 0, ncores),
          free_ids(taken, whole.gpus, have.cores, ngpus)};
}

}  // namespace fq::sched
