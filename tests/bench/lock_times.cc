// A library that is loaded before a program's own (LD_PRELOAD) and measures how long the program holds the
// store lock: from the flock that gets it to the close of its descriptor. Appends a line of microseconds to
// the file that $FQ_LOCK_TIMES names.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace {

int held = -1;  // fq takes one store lock at a time, in one thread
timespec since{};

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

bool is_store_lock(int fd) {
  char link[64];
  char path[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = ::readlink(link, path, sizeof path - 1);
  return length > 5 && std::memcmp(path + length - 5, "/lock", 5) == 0;
}

void note_held_time() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const char* file = std::getenv("FQ_LOCK_TIMES");
  if (file == nullptr) return;
  char line[32];
  const int length =
      std::snprintf(line, sizeof line, "%ld\n",
                    (now.tv_sec - since.tv_sec) * 1'000'000 + (now.tv_nsec - since.tv_nsec) / 1000);
  static const auto real_close = next<int (*)(int)>("close");
  const int fd = ::open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  [[maybe_unused]] const ssize_t written = ::write(fd, line, static_cast<std::size_t>(length));
  real_close(fd);
}

}  // namespace

extern "C" int flock(int fd, int operation) noexcept {
  static const auto real = next<int (*)(int, int)>("flock");
  const int result = real(fd, operation);
  if (result == 0 && (operation & LOCK_EX) != 0 && is_store_lock(fd)) {
    held = fd;
    ::clock_gettime(CLOCK_MONOTONIC, &since);
  }
  return result;
}

extern "C" int close(int fd) {
  static const auto real = next<int (*)(int)>("close");
  const bool lock = fd == held && fd >= 0;
  const int result = real(fd);
  if (lock) {
    held = -1;
    note_held_time();
  }
  return result;
}
