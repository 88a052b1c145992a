// Where the memory of a process comes from on machines of several NUMA nodes.

#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "notation/idset.h"

namespace fq::process {

/// The CPUs of each NUMA node that has memory, by its number; empty where there is one such node, or when
/// `sysfs` (the directory of node0, node1, …) tells nothing.
using NumaMap = std::map<std::uint32_t, notation::Idset>;
[[nodiscard]] NumaMap read_numa_map(const std::string& sysfs = "/sys/devices/system/node");

/// The nodes that have some of `cpus`; empty when these are all there are.
[[nodiscard]] notation::Idset numa_nodes_of(const notation::Idset& cpus, const NumaMap& map);

enum class MemoryFrom : std::uint8_t {
  nodes_first,  ///< from others where these have none left
  nodes_only,
};

/// Has this process, and those that it starts, take memory from there. Returns false, and changes nothing,
/// when the kernel refuses: an older one knows no preference for several nodes. Makes no allocation that is
/// unsafe after fork in one thread.
bool take_memory_from(const notation::Idset& nodes, MemoryFrom from);

}  // namespace fq::process
