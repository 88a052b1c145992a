#include "base/memory.h"

#include <malloc.h>

namespace fq {

void keep_memory_small() {
  constexpr int kThreshold = 128 << 10;
  ::mallopt(M_ARENA_MAX, 1);
  // Setting either also keeps glibc from raising them as large blocks come and go.
  ::mallopt(M_TRIM_THRESHOLD, kThreshold);
  ::mallopt(M_MMAP_THRESHOLD, kThreshold);
}

}  // namespace fq
