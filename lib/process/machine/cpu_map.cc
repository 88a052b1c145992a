#include "process/machine/cpu_map.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace fq::process {

using notation::Idset;

namespace {

// From the widest to the core itself; a machine lacks some of them.
constexpr std::array<std::string_view, 5> kLevels{
    "topology/package_cpus_list",   "topology/die_cpus_list",  "cache/index3/shared_cpu_list",
    "cache/index2/shared_cpu_list", "topology/core_cpus_list",
};
constexpr std::string_view kOldCoreLevel = "topology/thread_siblings_list";

struct Core {
  std::array<std::uint32_t, kLevels.size()> key;  ///< the lowest CPU at each level
  Idset cpus;
};

std::optional<Core> read_core(const std::string& sysfs, std::uint32_t cpu) {
  const std::string directory = fmt::format("{}/cpu{}/", sysfs, cpu);
  Core core;
  std::uint32_t lowest = 0;
  for (std::size_t level = 0; level < kLevels.size(); ++level) {
    auto cpus = read_sysfs_list(directory + std::string{kLevels[level]});
    if (!cpus && level + 1 == kLevels.size()) cpus = read_sysfs_list(directory + std::string{kOldCoreLevel});
    if (cpus) lowest = cpus->first();
    core.key[level] = lowest;
    if (level + 1 == kLevels.size()) core.cpus = cpus.value_or(Idset{cpu});
  }
  return core;
}

std::optional<std::vector<Idset>> decode_cache(std::string_view text, std::string_view boot) {
  const std::vector<std::string_view> lines = split(trim(text), '\n');
  if (lines.size() < 2 || lines.front() != boot) return std::nullopt;
  std::vector<Idset> map;
  for (std::size_t i = 1; i < lines.size(); ++i) map.push_back(Idset::decode(lines[i]));
  return map;
}

}  // namespace

std::optional<Idset> read_sysfs_list(const std::string& path) {
  try {
    const auto text = read_file_if_exists(path);
    if (!text || trim(*text).empty()) return std::nullopt;
    return Idset::decode(trim(*text));
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::vector<Idset> read_cpu_map(const std::string& sysfs) {
  std::vector<Core> cores;
  const auto online = read_sysfs_list(sysfs + "/online");
  if (!online || online->last() >= kMaxCpus) return {};
  Idset seen;
  online->for_each([&](std::uint32_t cpu) {
    if (seen.contains(cpu)) return;
    auto core = read_core(sysfs, cpu);
    if (!core) return;
    seen = seen.unite(core->cpus);
    cores.push_back(std::move(*core));
  });
  std::sort(cores.begin(), cores.end(), [](const Core& a, const Core& b) { return a.key < b.key; });
  std::vector<Idset> map;
  map.reserve(cores.size());
  for (Core& core : cores) map.push_back(std::move(core.cpus));
  return map;
}

std::vector<Idset> cached_cpu_map(const std::string& cache) {
  const std::string boot = boot_id();
  try {
    if (const auto text = read_file_if_exists(cache)) {
      if (auto map = decode_cache(*text, boot)) return *map;
    }
  } catch (const Error&) {
    // A cache that cannot be read is made anew.
  }
  std::vector<Idset> map = read_cpu_map();
  std::string text = boot + "\n";
  for (const Idset& cpus : map) text += cpus.encode() + "\n";
  const std::string temporary = fmt::format("{}.{}", cache, ::getpid());
  try {
    write_file(temporary, text);
    if (::rename(temporary.c_str(), cache.c_str()) != 0) ::unlink(temporary.c_str());
  } catch (const Error&) {
    ::unlink(temporary.c_str());
  }
  return map;
}

Idset cpus_of(const Idset& cores, const std::vector<Idset>& map) {
  Idset cpus;
  for (std::uint32_t core = 0; core < map.size(); ++core) {
    if (cores.contains(core)) cpus = cpus.unite(map[core]);
  }
  return cpus;
}

}  // namespace fq::process
