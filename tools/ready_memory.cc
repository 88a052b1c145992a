// Makes a command's memory ready in two calls, before anything of it runs. A command lives for milliseconds,
// and most of them were page faults: some 130 pages of heap, touched one by one, a quarter of them by
// RocksDB's tables before main; and its code, mapped as it is run. Where a fault is dear, as in a virtual
// machine, this takes a quarter off what a command costs (`tests/bench/run --only starts`); where it is
// cheap, it costs nothing.
//
// Linked into the commands, not into programs that stay. A kernel before 5.14 knows no such call: all is as
// without it.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <malloc.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

extern "C" {
extern char __executable_start, etext;
}

namespace {

// What the smallest command that opens a store comes to use.
constexpr std::size_t kHeapBytes = std::size_t{512} << 10U;
// By how much the heap grows at once, from its first page on; what is larger is mapped by itself, and how
// much may lie free at its end. Glibc would find out the last two, unless one is set.
constexpr int kGrowBytes = 1 << 20, kLargeBytes = 1 << 20, kTrimBytes = 16 << 20;
constexpr std::uintptr_t kPage = 4096;

void populate(const char* from, const char* to, int how) {
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(from) / kPage * kPage;
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(to) + kPage - 1) / kPage * kPage;
  ::madvise(reinterpret_cast<void*>(begin), end - begin, how);  // NOLINT(performance-no-int-to-ptr)
}

void make_ready(int /*argc*/, char** /*argv*/, char** /*environment*/) {
  populate(&__executable_start, &etext, MADV_POPULATE_READ);
  ::mallopt(M_TOP_PAD, kGrowBytes);
  ::mallopt(M_MMAP_THRESHOLD, kLargeBytes);
  ::mallopt(M_TRIM_THRESHOLD, kTrimBytes);
  void* first = std::malloc(1);
  if (first == nullptr) return;
  const auto* heap = static_cast<const char*>(first);
  populate(heap, heap + kHeapBytes, MADV_POPULATE_WRITE);
  std::free(first);
}

// Before the initialisers of what the program is made of.
__attribute__((section(".preinit_array"), used)) void (*const kMakeReady)(int, char**, char**) = make_ready;

}  // namespace
