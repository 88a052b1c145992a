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
    : want_(want),
      cores_per_node_(cores_per_node(want)),
      gpus_per_node_(gpus_per_node(want)),
      needed_(needed(want)),
      nodes_(pool.size()) {
  for (const NodeRange& range : nodes) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      nodes_[i].counts = pool.usable(i);
      refresh(pool, i);
    }
  }
}

void Capacity::give_back(std::size_t place, std::uint64_t cores, std::uint64_t gpus) {
  Node& node = nodes_[place];
  if (!node.counts) return;
  node.free_cores += static_cast<std::uint32_t>(cores);
  node.free_gpus += static_cast<std::uint32_t>(gpus);
  recount(node);
}

void Capacity::refresh(const Pool& pool, std::size_t place) {
  Node& node = nodes_[place];
  if (!node.counts) return;
  node.cores = pool.cores(place);
  node.gpus = pool.gpus(place);
  node.free_cores = pool.free_cores(place);
  node.free_gpus = pool.free_gpus(place);
  recount(node);
}

void Capacity::recount(Node& node) {
  held_ -= node.held;
  const bool idle = node.free_cores == node.cores && node.free_gpus == node.gpus;
  if (want_.exclusive && !idle) {
    node.held = 0;
  } else if (want_.nnodes == 0) {
    node.held = slots_in(node.free_cores, node.free_gpus, want_);
  } else {
    node.held = node.free_cores >= cores_per_node_ && node.free_gpus >= gpus_per_node_ ? 1 : 0;
  }
  held_ += node.held;
}

}  // namespace fq::sched
