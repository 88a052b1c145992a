// How much of one request the nodes of a pool hold, kept up node by node while allocations end or begin: what
// a search through time asks at each instant without looking at all nodes again. It counts cores and GPUs,
// and leaves which ones to the pool.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "document/jobspec/jobspec.h"
#include "sched/pool.h"

namespace fq::sched {

/// What a request with a node level takes of each of its nodes.
[[nodiscard]] std::uint64_t cores_per_node(const document::ResourceCounts& want);
[[nodiscard]] std::uint64_t gpus_per_node(const document::ResourceCounts& want);
/// How many slots so many cores and GPUs of one node hold. REQUIRES a core a slot.
[[nodiscard]] std::uint32_t slots_in(std::uint32_t cores, std::uint32_t gpus,
                                     const document::ResourceCounts& want);
/// What must be held for the request to fit: nodes where it has a node level, else slots.
[[nodiscard]] std::uint64_t needed(const document::ResourceCounts& want);

/// Indexes into a pool, ascending.
struct NodeRange {
  std::size_t begin, end;
};

class Capacity {
 public:
  /// Of the free part of these nodes.
  Capacity(const Pool& pool, const std::vector<NodeRange>& nodes, const document::ResourceCounts& want);

  /// So much of the node comes free. REQUIRES that it was not.
  void give_back(std::size_t node, std::uint64_t cores, std::uint64_t gpus);
  /// The node is as in `pool`, of the same inventory.
  void refresh(const Pool& pool, std::size_t node);
  [[nodiscard]] bool fits() const { return held_ >= needed_; }

 private:
  struct Node {
    bool counts = false;  ///< whether it is one of those, and usable
    std::uint32_t held = 0;
    std::uint32_t free_cores = 0, free_gpus = 0;
    std::uint32_t cores = 0, gpus = 0;
  };

  void recount(Node& node);

  document::ResourceCounts want_;
  std::uint64_t cores_per_node_, gpus_per_node_;
  std::uint64_t needed_, held_ = 0;
  std::vector<Node> nodes_;  ///< as in the pool
};

}  // namespace fq::sched
