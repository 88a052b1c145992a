#include "manager/engine/reserve.h"

#include <cstdint>

#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

namespace fq::manager {
namespace {

constexpr std::size_t kReserveBytes = 2U << 20U;
// Below this the disk counts as full still: the reserve would only be taken from what others need now.
constexpr std::uint64_t kRoomToSpare = 4 * kReserveBytes;

std::string path_of(const std::string& store) {
  return store + "/reserve";
}

}  // namespace

void make_reserve(const std::string& store) {
  // Written, not just extended: the blocks must really be there.
  write_file(path_of(store), std::string(kReserveBytes, '\0'));
}

bool give_up_reserve(const std::string& store) {
  return ::unlink(path_of(store).c_str()) == 0;
}

void restore_reserve(const std::string& store) noexcept {
  try {
    if (exists(path_of(store))) return;
    struct statvfs info {};
    if (::statvfs(store.c_str(), &info) != 0) return;
    if (static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize < kRoomToSpare) return;
    make_reserve(store);
  } catch (const Error&) {
    give_up_reserve(store);  // half of it is of no use
  }
}

}  // namespace fq::manager
