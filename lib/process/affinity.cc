#include "process/affinity.h"

#include <array>
#include <cerrno>

#include <sys/syscall.h>
#include <unistd.h>

#include "process/cpu_map.h"

namespace fq::process {
namespace {

constexpr unsigned kWordBits = 8 * sizeof(unsigned long);
using Mask = std::array<unsigned long, kMaxCpus / kWordBits>;

/// The system call itself, which returns the size of the kernel's mask, where the library's function refuses
/// to tell.
long read_mask(Mask& mask) {
  mask.fill(0);
  return ::syscall(SYS_sched_getaffinity, 0, sizeof mask, mask.data());
}

}  // namespace

notation::Idset current_affinity() {
  Mask mask;
  notation::Idset cpus;
  if (read_mask(mask) < 0) return cpus;
  for (unsigned cpu = 0; cpu < kMaxCpus; ++cpu) {
    if ((mask[cpu / kWordBits] >> (cpu % kWordBits)) & 1U) cpus.insert(cpu);
  }
  return cpus;
}

bool set_affinity(const notation::Idset& cpus) {
  Mask mask{};
  for (const notation::Idset::Range& range : cpus.ranges()) {
    for (unsigned cpu = range.first; cpu <= range.last && cpu < kMaxCpus; ++cpu) {
      mask[cpu / kWordBits] |= 1UL << (cpu % kWordBits);
    }
  }
  // The kernel leaves out what is not there and refuses an empty rest.
  return ::syscall(SYS_sched_setaffinity, 0, sizeof mask, mask.data()) == 0;
}

}  // namespace fq::process
