#include "process/numa.h"

#include <array>

#include <fmt/core.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process/cpu_map.h"

namespace fq::process {

using notation::Idset;

namespace {

constexpr std::uint32_t kMaxNodes = 1024;  // as Linux is built for at most
constexpr unsigned kWordBits = 8 * sizeof(unsigned long);
constexpr int kPreferSeveral = 5;  // MPOL_PREFERRED_MANY, of Linux 5.15

}  // namespace

Idset numa_nodes_of(const Idset& cpus, const std::string& sysfs) {
  // Nodes without memory, or without CPUs, are none to choose between.
  const auto memory = read_sysfs_list(sysfs + "/has_memory");
  if (!memory || memory->count() < 2 || memory->last() >= kMaxNodes) return {};
  Idset nodes;
  memory->for_each([&](std::uint32_t node) {
    const auto of_node = read_sysfs_list(fmt::format("{}/node{}/cpulist", sysfs, node));
    if (of_node && of_node->intersects(cpus)) nodes.insert(node);
  });
  return nodes == *memory ? Idset{} : nodes;
}

bool take_memory_from(const Idset& nodes, MemoryFrom from) {
  std::array<unsigned long, kMaxNodes / kWordBits> mask{};
  for (const Idset::Range& range : nodes.ranges()) {
    for (std::uint32_t node = range.first; node <= range.last && node < kMaxNodes; ++node)
      mask[node / kWordBits] |= 1UL << (node % kWordBits);
  }
  const int mode = from == MemoryFrom::nodes_only ? MPOL_BIND : kPreferSeveral;
  return ::syscall(SYS_set_mempolicy, mode, mask.data(), kMaxNodes + 1) == 0;
}

}  // namespace fq::process
