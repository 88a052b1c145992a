#include "process/machine/affinity.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "process/machine/cpu_map.h"
#include "process/machine/id_mask.h"

namespace fq::process {
namespace {

using Mask = IdMask<kMaxCpus>;

/// The system call itself, which returns the size of the kernel's mask, where the library's function refuses
/// to tell.
long read_mask(Mask& mask) {
  return ::syscall(SYS_sched_getaffinity, 0, Mask::kBytes, mask.words());
}

}  // namespace

notation::Idset current_affinity() {
  Mask mask;
  notation::Idset cpus;
  if (read_mask(mask) < 0) return cpus;
  for (unsigned cpu = 0; cpu < kMaxCpus; ++cpu) {
    if (mask.contains(cpu)) cpus.insert(cpu);
  }
  return cpus;
}

bool set_affinity(const notation::Idset& cpus) {
  Mask mask{cpus};
  // The kernel leaves out what is not there and refuses an empty rest.
  return ::syscall(SYS_sched_setaffinity, 0, Mask::kBytes, mask.words()) == 0;
}

}  // namespace fq::process
