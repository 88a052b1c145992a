#include "base/memory.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <new>

#include <malloc.h>
#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

namespace fq {
namespace {

// What the handler needs: it must not allocate.
std::array<char, 64> name_of_process{};
std::size_t name_size = 0;
enum class Change { none, under_way, ended };
std::atomic<Change> change{Change::none};
std::atomic_flag ending;

std::string_view what_is_stored() {
  switch (change.load()) {
    case Change::none:
      return ": out of memory\n";
    case Change::under_way:
      return ": out of memory; outcome unknown: the change, or a part of it, may be stored\n";
    case Change::ended:
      return ": out of memory; what was stored before stays\n";
  }
  return {};
}

[[noreturn]] void end() {
  while (ending.test_and_set()) ::pause();  // another thread says it
  const std::string_view text = what_is_stored();
  const std::array<iovec, 2> line{
      {{name_of_process.data(), name_size}, {const_cast<char*>(text.data()), text.size()}}};
  // This process may hold the store lock: it does not wait for a reader.
  pollfd writable{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&writable, 1, 0) > 0) [[maybe_unused]]
    const ssize_t said = ::writev(STDERR_FILENO, line.data(), line.size());
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

ChangeUnderWay::ChangeUnderWay() {
  change = Change::under_way;
}
ChangeUnderWay::~ChangeUnderWay() {
  change = Change::ended;
}

}  // namespace fq
