#include "base/memory.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <new>

#include <malloc.h>
#include <sys/uio.h>
#include <unistd.h>

namespace fq {
namespace {

// What the handler needs: it must not allocate.
std::array<char, 64> name_of_process{};
std::size_t name_size = 0;
std::atomic<bool> change_begun{false};
std::atomic_flag ending;

[[noreturn]] void end() {
  while (ending.test_and_set()) ::pause();  // another thread says it
  constexpr std::string_view kNothingBegun = ": out of memory\n";
  constexpr std::string_view kBegun =
      ": out of memory; outcome unknown: the change, or a part of it, may be stored\n";
  std::string_view text = change_begun.load() ? kBegun : kNothingBegun;
  const std::array<iovec, 2> line{
      {{name_of_process.data(), name_size}, {const_cast<char*>(text.data()), text.size()}}};
  if (::writev(STDERR_FILENO, line.data(), line.size()) < 0) ::_exit(1);
  ::_exit(1);
}

}  // namespace

void keep_memory_small() {
  constexpr int kThreshold = 128 << 10;
  ::mallopt(M_ARENA_MAX, 1);
  // Setting either also keeps glibc from raising them as large blocks come and go.
  ::mallopt(M_TRIM_THRESHOLD, kThreshold);
  ::mallopt(M_MMAP_THRESHOLD, kThreshold);
}

void end_when_out_of_memory(std::string_view name) {
  name_size = std::min(name.size(), name_of_process.size());
  std::copy_n(name.begin(), name_size, name_of_process.begin());
  std::set_new_handler(end);
}

void note_change_begun() {
  change_begun = true;
}

}  // namespace fq
