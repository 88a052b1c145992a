// How much of one request the nodes of a pool hold, kept up node by node while allocations end or begin: what
// a search through time asks at each instant without looking at all nodes again.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "document/jobspec.h"
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
  /// Of the free part of these nodes. `pool` must outlive this.
  Capacity(const Pool& pool, const std::vector<NodeRange>& nodes, const document::ResourceCounts& want);

  /// The node has changed.
  void refresh(std::size_t node);
  [[nodiscard]] bool fits() const { return held_ >= needed_; }

 private:
  [[nodiscard]] std::uint32_t held_by(std::size_t node) const;

  const Pool& pool_;
  document::ResourceCounts want_;
  std::uint64_t needed_, held_ = 0;
  std::vector<bool> counts_;
  std::vector<std::uint32_t> by_node_;
};

}  // namespace fq::sched
