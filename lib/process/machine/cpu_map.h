// From the core ids of R to the CPUs of this machine. R counts cores as hwloc does (logical index over the
// whole machine: by package, die, shared caches, then lowest CPU); the kernel binds to CPUs, of which a core
// with hardware threads has several. Read from sysfs: loading hwloc would cost every job's start.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "notation/idset.h"

namespace fq::process {

/// As many CPUs as Linux is built for at most.
inline constexpr std::uint32_t kMaxCpus = 8192;

/// The ids that a file of sysfs lists; nothing where it is missing, empty or no list.
[[nodiscard]] std::optional<notation::Idset> read_sysfs_list(const std::string& path);

/// The CPUs of each core, by core id. Empty when `sysfs` (the directory of cpu0, cpu1, …) tells nothing.
[[nodiscard]] std::vector<notation::Idset> read_cpu_map(const std::string& sysfs = "/sys/devices/system/cpu");

/// The same, kept in the file `cache` for the time of one boot: large machines have thousands of files to
/// read.
[[nodiscard]] std::vector<notation::Idset> cached_cpu_map(const std::string& cache);

/// The CPUs of `cores`, without cores that the machine does not have.
[[nodiscard]] notation::Idset cpus_of(const notation::Idset& cores, const std::vector<notation::Idset>& map);

}  // namespace fq::process
