// Which nodes a request gets of those that are free. A slot never spans nodes. The choice is a function of
// the pool, the policy and the request:
//   pack     with a node level: the nodes that keep the fewest GPUs, then the fewest cores. Slots only: the
//            fewest nodes; while no single node holds all slots that are left, the node that holds the most,
//            then the one that is left with the fewest GPUs, then cores
//   first    those of the lowest rank
//   spread   those with the most free cores, and as many nodes as hold a slot; nodes with free GPUs come last
//            for requests without, first for others
// Ties go to the lowest rank. Exclusive requests get whole nodes of which nothing is allocated.

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "document/jobspec/jobspec.h"
#include "sched/capacity.h"
#include "sched/pool.h"

namespace fq::sched {

enum class MatchPolicy : std::uint8_t { pack, first, spread };

/// Node index and slots, by index.
using NodeChoice = std::vector<std::pair<std::size_t, std::uint32_t>>;

/// Of `nodes`; those for which `preferred` is true, by index, come before all others. REQUIRES that they hold
/// what is wanted.
[[nodiscard]] NodeChoice choose_nodes(const Pool& pool, const std::vector<NodeRange>& nodes,
                                      const document::ResourceCounts& want, MatchPolicy policy,
                                      const std::vector<bool>* preferred = nullptr);

}  // namespace fq::sched
