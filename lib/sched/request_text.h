// What is asked for and what there is, in words: notes of DENY and values of `reason_pending` (RFC 27).

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "document/jobspec/jobspec.h"

namespace fq::sched {

/// What a set of nodes has.
struct SupplyTotals {
  std::uint64_t nodes = 0;
  std::uint64_t cores = 0;
  std::uint64_t gpus = 0;
  std::uint32_t most_cores = 0;  ///< of one node
  std::uint32_t most_gpus = 0;   ///< of one node
};

/// `4 slots of 2 cores and 1 GPU`, `3 cores`, `2 exclusive nodes`, `2 nodes with 8 cores each`.
[[nodiscard]] std::string request_text(const document::ResourceCounts& want);

/// The note for a constraint that leaves no node: its text is shortened when it is long.
[[nodiscard]] std::string no_match_text(std::string_view constraint);
/// The note for a request too large for the nodes it may use, which have `all` and hold `held` nodes or slots
/// of it. `constrained` says that the inventory has other nodes.
[[nodiscard]] std::string infeasible_text(const document::ResourceCounts& want, const SupplyTotals& all,
                                          std::uint64_t held, bool constrained);
/// The reason for a request that fits the inventory but not the nodes now up: these hold `held` of it, all
/// together `possible`.
[[nodiscard]] std::string not_up_text(const document::ResourceCounts& want, std::uint64_t held,
                                      std::uint64_t possible);
/// The reason for a request that waits for others to end: `free` is what is free, and holds `held` of it.
[[nodiscard]] std::string not_free_text(const document::ResourceCounts& want, const SupplyTotals& free,
                                        std::uint64_t held);

}  // namespace fq::sched
