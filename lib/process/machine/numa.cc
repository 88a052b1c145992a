#include "process/machine/numa.h"

#include <fmt/core.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process/machine/cpu_map.h"
#include "process/machine/id_mask.h"

namespace fq::process {

using notation::Idset;

namespace {

constexpr std::uint32_t kMaxNodes = 1024;  // as Linux is built for at most
constexpr int kPreferSeveral = 5;          // MPOL_PREFERRED_MANY, of Linux 5.15

}  // namespace

NumaMap read_numa_map(const std::string& sysfs) {
  const auto memory = read_sysfs_list(sysfs + "/has_memory");
  if (!memory || memory->count() < 2 || memory->last() >= kMaxNodes) return {};
  NumaMap map;
  memory->for_each([&](std::uint32_t node) {
    map[node] = read_sysfs_list(fmt::format("{}/node{}/cpulist", sysfs, node)).value_or(Idset{});
  });
  return map;
}

Idset numa_nodes_of(const Idset& cpus, const NumaMap& map) {
  Idset nodes;
  for (const auto& [node, of_node] : map) {
    if (of_node.intersects(cpus)) nodes.insert(node);
  }
  return nodes.count() == map.size() ? Idset{} : nodes;
}

bool take_memory_from(const Idset& nodes, MemoryFrom from) {
  IdMask<kMaxNodes> mask{nodes};
  const int mode = from == MemoryFrom::nodes_only ? MPOL_BIND : kPreferSeveral;
  return ::syscall(SYS_set_mempolicy, mode, mask.words(), kMaxNodes + 1) == 0;
}

}  // namespace fq::process
