#include "base/trash.h"

#include <csignal>
#include <cstdio>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/try_to.h"
#include "base/unique_fd.h"

namespace fq {

bool move_to_trash(const std::string& path, const std::string& trash) {
  return std::rename(path.c_str(), (trash + path.substr(path.rfind('/'))).c_str()) == 0;
}

void link_in_trash(const std::string& path, const std::string& trash) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return;
  const std::string name = fmt::format("{}{}.{}", trash, path.substr(path.rfind('/')), info.st_ino);
  static_cast<void>(::link(path.c_str(), name.c_str()));
}

namespace {

constexpr off_t kStepBytes = 1 << 20;

// Whether nobody but this descriptor has the file, open or by name. Such a file gets no other users: its only
// name is in the trash.
bool is_alone(int fd, const struct stat& info) {
  if (!S_ISREG(info.st_mode) || info.st_nlink != 1) return false;
  // A lease for writing is granted only where the file is open nowhere else. Whoever opens it while there is
  // one has a signal sent here: one that does nothing.
  if (::fcntl(fd, F_SETSIG, SIGURG) != 0 || ::fcntl(fd, F_SETLEASE, F_WRLCK) != 0) return false;
  return ::fcntl(fd, F_SETLEASE, F_UNLCK) == 0;
}

// Cuts a large file down, a step at a time; where that cannot be, it is left as it is.
void shrink(const std::string& path, const std::function<void()>& pause) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0 || info.st_size <= kStepBytes) return;
  if (!is_alone(file.get(), info)) return;
  for (off_t size = info.st_size - kStepBytes; size > 0; size -= kStepBytes) {
    if (::ftruncate(file.get(), size) != 0) return;
    pause();
  }
}

}  // namespace

bool empty_trash(const std::string& trash) {
  const std::vector<std::string> names = names_in(trash).value_or(std::vector<std::string>{});
  bool any = false;
  for (const std::string& name : names) {
    try_to([&] {
      remove_tree(fmt::format("{}/{}", trash, name));
      any = true;
    });
  }
  return any;
}

void empty_trash_slowly(const std::string& trash, const std::function<void()>& pause) {
  const UniqueFd directory(::open(trash.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() < 0 || ::flock(directory.get(), LOCK_EX | LOCK_NB) != 0) return;
  bool first = true;
  // What comes while the last of these are freed is left to the next one.
  for (int look = 0; look < 2; ++look) {
    const std::vector<std::string> names = names_in(trash).value_or(std::vector<std::string>{});
    for (const std::string& name : names) {
      if (!std::exchange(first, false)) pause();
      const std::string path = fmt::format("{}/{}", trash, name);
      shrink(path, pause);
      try_to([&] { remove_tree(path); });
    }
  }
}

}  // namespace fq
