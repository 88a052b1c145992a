#include "sched/capacity.h"

#include <algorithm>

namespace fq::sched {

using document::ResourceCounts;

std::uint64_t cores_per_node(const ResourceCounts& want) {
  return std::uint64_t{want.slots_per_node} * want.cores_per_slot;
}

std::uint64_t gpus_per_node(const ResourceCounts& want) {
  return std::uint64_t{want.slots_per_node} * want.gpus_per_slot;
}

std::uint32_t slots_in(std::uint32_t cores, std::uint32_t gpus, const ResourceCounts& want) {
  const std::uint32_t slots = cores / want.cores_per_slot;
  return want.gpus_per_slot == 0 ? slots : std::min(slots, gpus / want.gpus_per_slot);
}

std::uint64_t needed(const ResourceCounts& want) {
  return want.nnodes > 0 ? want.nnodes : want.nslots;
}

Capacity::Capacity(const Pool& pool, const std::vector<NodeRange>& nodes, const ResourceCounts& want)
    : pool_(pool), want_(want), needed_(needed(want)), counts_(pool.size(), false), by_node_(pool.size(), 0) {
  for (const NodeRange& range : nodes) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      counts_[i] = true;
      by_node_[i] = held_by(i);
      held_ += by_node_[i];
    }
  }
}

void Capacity::refresh(std::size_t node) {
  if (!counts_[node]) return;
  held_ -= by_node_[node];
  by_node_[node] = held_by(node);
  held_ += by_node_[node];
}

std::uint32_t Capacity::held_by(std::size_t node) const {
  if (!pool_.usable(node) || (want_.exclusive && !pool_.idle(node))) return 0;
  const std::uint32_t cores = pool_.free_cores(node), gpus = pool_.free_gpus(node);
  if (want_.nnodes == 0) return slots_in(cores, gpus, want_);
  return cores >= cores_per_node(want_) && gpus >= gpus_per_node(want_) ? 1 : 0;
}

}  // namespace fq::sched
