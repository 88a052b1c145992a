#include "process/numa.h"

#include <array>
#include <optional>

#include <fmt/core.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace fq::process {

using notation::Idset;

namespace {

constexpr std::uint32_t kMaxNodes = 1024;  // as Linux is built for at most
constexpr unsigned kWordBits = 8 * sizeof(unsigned long);
constexpr int kPreferSeveral = 5;  // MPOL_PREFERRED_MANY, of Linux 5.15

std::optional<Idset> read_ids(const std::string& path) {
  try {
    const auto text = read_file_if_exists(path);
    if (!text || trim(*text).empty()) return std::nullopt;
    return Idset::decode(trim(*text));
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

Idset numa_nodes_of(const Idset& cpus, const std::string& sysfs) {
  // Nodes without memory, or without CPUs, are none to choose between.
  const auto memory = read_ids(sysfs + "/has_memory");
  if (!memory || memory->count() < 2 || memory->last() >= kMaxNodes) return {};
  Idset nodes;
  memory->for_each([&](std::uint32_t node) {
    const auto of_node = read_ids(fmt::format("{}/node{}/cpulist", sysfs, node));
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
