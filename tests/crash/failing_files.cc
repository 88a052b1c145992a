// Preloaded, lets calls on a store's files fail, on those of its database or on its own, which are the
// others:
//
//   FQ_FAULT="CALL HOW N"    the Nth such call of the process fails, with `N+` all that follow, too. CALL is
//   one of
//                            open (for writing), write, sync, rename (or link), remove, resize, mkdir,
//                            mkfifo; HOW is EIO, ENOSPC, or `skip` (nothing is done and all seems well); of a
//                            write also `short` (a half is written), `tornEIO` and `tornENOSPC` (a half is
//                            written, and the next write of the process fails)
//   FQ_FAULT_FILES=database  those of the database; not set, its own; with `skip` all
//   FQ_FAULT_STORE=DIR       the store
//   FQ_FAULT_LOG=FILE        gets a line for each fault
//
// Processes that fq starts do not inherit it.

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

namespace {

struct Fault {
  char call[16];
  char how[16];
  int at;
  bool on;
  bool database;
  const char* store;
  const char* log;
};

const Fault* fault() {
  static Fault read{};
  static const Fault* const found = []() -> const Fault* {
    const char* text = std::getenv("FQ_FAULT");
    read.store = std::getenv("FQ_FAULT_STORE");
    read.log = std::getenv("FQ_FAULT_LOG");
    read.database = std::getenv("FQ_FAULT_FILES") != nullptr;
    if (text == nullptr || read.store == nullptr || read.log == nullptr) return nullptr;
    char plus = 0;
    if (std::sscanf(text, "%15s %15s %d%c", read.call, read.how, &read.at, &plus) < 3) std::abort();
    read.on = plus == '+';
    return &read;
  }();
  return found;
}

template <typename Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

std::string path_at(int directory, const char* path) {
  if (path[0] == '/') return path;
  char link[64];
  char target[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
  const ssize_t n = ::readlink(directory == AT_FDCWD ? "/proc/self/cwd" : link, target, sizeof target);
  if (n < 0) return path;
  const std::string base(target, static_cast<std::size_t>(n));
  return path[0] == '\0' ? base : base + "/" + path;
}

std::string path_of(int fd) {
  return path_at(fd, "");
}

/// Whether this call of `call` on `path` shall fail; then errno says how.
bool fails(const char* call, const std::string& path) {
  const Fault* wanted = fault();
  if (wanted == nullptr || std::strcmp(wanted->call, call) != 0) return false;
  const std::string store = std::string(wanted->store) + "/";
  if (path.compare(0, store.size(), store) != 0) return false;
  const bool database = path.compare(store.size(), 3, "db/") == 0 || path.compare(store.size(), 3, "db") == 0;
  if (database != wanted->database && std::strcmp(wanted->how, "skip") != 0) return false;
  static std::atomic<int> calls{0};
  const int count = ++calls;
  const bool rest = std::strncmp(wanted->how, "torn", 4) == 0 && count == wanted->at + 1;
  if (count != wanted->at && !rest && !(wanted->on && count > wanted->at)) return false;
  const int log = real<int (*)(const char*, int, ...)>("open")(
      wanted->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::string line = std::string(call) + " " + path + "\n";
  static_cast<void>(!real<ssize_t (*)(int, const void*, size_t)>("write")(log, line.data(), line.size()));
  ::close(log);
  errno = std::strstr(wanted->how, "ENOSPC") != nullptr ? ENOSPC : EIO;
  return true;
}

bool is(const char* how) {
  return std::strcmp(fault()->how, how) == 0;
}

/// What a call that fails returns, if nothing of it is done.
int refusal() {
  return is("skip") ? 0 : -1;
}

mode_t mode_of(int flags, va_list& rest) {
  return (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
}

template <typename Write>
ssize_t write_part(Write write, int fd, size_t size) {
  if (!fails("write", path_of(fd))) return write(size);
  static std::atomic<bool> torn{false};
  const bool half = is("short") || (std::strncmp(fault()->how, "torn", 4) == 0 && !torn.exchange(true));
  if (half && size > 1) return write(size / 2);
  return is("skip") ? static_cast<ssize_t>(size) : -1;
}

}  // namespace

#define OPEN(name)                                                                            \
  extern "C" int name(const char* path, int flags, ...) {                                     \
    va_list rest;                                                                             \
    va_start(rest, flags);                                                                    \
    const mode_t mode = mode_of(flags, rest);                                                 \
    va_end(rest);                                                                             \
    if ((flags & O_ACCMODE) != O_RDONLY && fails("open", path_at(AT_FDCWD, path))) return -1; \
    return real<int (*)(const char*, int, ...)>(#name)(path, flags, mode);                    \
  }
#define OPENAT(name)                                                                           \
  extern "C" int name(int directory, const char* path, int flags, ...) {                       \
    va_list rest;                                                                              \
    va_start(rest, flags);                                                                     \
    const mode_t mode = mode_of(flags, rest);                                                  \
    va_end(rest);                                                                              \
    if ((flags & O_ACCMODE) != O_RDONLY && fails("open", path_at(directory, path))) return -1; \
    return real<int (*)(int, const char*, int, ...)>(#name)(directory, path, flags, mode);     \
  }
#define PWRITE(name)                                                                     \
  extern "C" ssize_t name(int fd, const void* bytes, size_t size, off_t at) {            \
    const auto next = real<ssize_t (*)(int, const void*, size_t, off_t)>(#name);         \
    return write_part([&](size_t part) { return next(fd, bytes, part, at); }, fd, size); \
  }
#define ON_DESCRIPTOR(name, call, parameters, arguments) \
  extern "C" int name parameters {                       \
    if (fails(call, path_of(fd))) return refusal();      \
    return real<int(*) parameters>(#name) arguments;     \
  }
#define ON_PATH(name, call, directory, parameters, arguments)    \
  extern "C" int name parameters {                               \
    if (fails(call, path_at(directory, path))) return refusal(); \
    return real<int(*) parameters>(#name) arguments;             \
  }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
PWRITE(pwrite)
PWRITE(pwrite64)
extern "C" ssize_t write(int fd, const void* bytes, size_t size) {
  const auto next = real<ssize_t (*)(int, const void*, size_t)>("write");
  return write_part([&](size_t part) { return next(fd, bytes, part); }, fd, size);
}
ON_DESCRIPTOR(fsync, "sync", (int fd), (fd))
ON_DESCRIPTOR(fdatasync, "sync", (int fd), (fd))
ON_DESCRIPTOR(ftruncate, "resize", (int fd, off_t size) noexcept, (fd, size))
ON_DESCRIPTOR(ftruncate64, "resize", (int fd, off_t size) noexcept, (fd, size))
ON_DESCRIPTOR(fallocate, "resize", (int fd, int mode, off_t from, off_t size), (fd, mode, from, size))
ON_DESCRIPTOR(fallocate64, "resize", (int fd, int mode, off_t from, off_t size), (fd, mode, from, size))
ON_PATH(rename, "rename", AT_FDCWD, (const char* path, const char* to) noexcept, (path, to))
ON_PATH(link, "rename", AT_FDCWD, (const char* path, const char* to) noexcept, (path, to))
ON_PATH(unlink, "remove", AT_FDCWD, (const char* path) noexcept, (path))
ON_PATH(rmdir, "remove", AT_FDCWD, (const char* path) noexcept, (path))
ON_PATH(unlinkat, "remove", directory, (int directory, const char* path, int flags) noexcept,
        (directory, path, flags))
ON_PATH(mkdir, "mkdir", AT_FDCWD, (const char* path, mode_t mode) noexcept, (path, mode))
ON_PATH(mkfifo, "mkfifo", AT_FDCWD, (const char* path, mode_t mode) noexcept, (path, mode))
