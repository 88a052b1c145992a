// What a resource set must have to be the inventory of a store.

#pragma once

#include <cstdint>

#include "document/resource/resource_set.h"

namespace fq::document {

/// The most cores, and the most GPUs, of one node, and the most of both in all: bounds what a short idset can
/// ask for.
inline constexpr std::uint64_t kMaxPerNode = 65536;
inline constexpr std::uint64_t kMaxUnits = std::uint64_t{1} << 28;

/// Checks that there are nodes, each with a core and on a host of its own, no more than kMaxPerNode cores or
/// GPUs on one and kMaxUnits on all, and no time beyond the year 9999. Throws Error{invalid} `host 'node3'
/// has no cores`.
void check_inventory(const ResourceSet& set);

}  // namespace fq::document
