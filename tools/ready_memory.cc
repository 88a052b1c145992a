// Makes a command's heap ready in one call, before anything of it runs. A command lives for milliseconds, and
// touches some 130 pages of heap, a quarter of them by RocksDB's tables before main. Where a page fault is
// dear, as in a nested virtual machine (11 us), that is a fifth of the processor time of `fq-jobs`: 3 ms of
// 15. Where it is cheap (a command takes 2 ms) this costs 0.05 to 0.2 ms. `tests/bench/run --only starts`
// shows which machine is which.
//
// Linked into the commands, not into programs that stay. A kernel before 5.14 knows no such call: all is as
// without it.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <malloc.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace {

// What the smallest command that opens a store comes to use.
constexpr std::size_t kHeapBytes = std::size_t{512} << 10U;
// By how much the heap grows at once, from its first page on; what is larger is mapped by itself, and how
// much may lie free at its end. Glibc would find out the last two, unless one is set.
constexpr int kGrowBytes = 1 << 20, kLargeBytes = 1 << 20, kTrimBytes = 16 << 20;
constexpr std::uintptr_t kPage = 4096;

void make_ready(int /*argc*/, char** /*argv*/, char** /*environment*/) {
  ::mallopt(M_TOP_PAD, kGrowBytes);
  ::mallopt(M_MMAP_THRESHOLD, kLargeBytes);
  ::mallopt(M_TRIM_THRESHOLD, kTrimBytes);
  void* first = std::malloc(1);
  if (first == nullptr) return;
  const std::uintptr_t heap = reinterpret_cast<std::uintptr_t>(first) / kPage * kPage;
  void* first_page = reinterpret_cast<void*>(heap);  // NOLINT(performance-no-int-to-ptr)
  ::madvise(first_page, kHeapBytes, MADV_POPULATE_WRITE);
  std::free(first);
}

// Before the initialisers of what the program is made of.
__attribute__((section(".preinit_array"), used)) void (*const kMakeReady)(int, char**, char**) = make_ready;

}  // namespace
