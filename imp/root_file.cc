#include "root_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "fd.h"
#include "signature/refused.h"

namespace fq::imp {

using signature::Refused;

namespace {

constexpr std::size_t kMost = 1 << 16;  // bytes of a file that is read

void require_roots(int fd, mode_t type, mode_t forbidden, const std::string& path) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) throw Failed(path);
  if ((info.st_mode & S_IFMT) != type || info.st_uid != 0 || (info.st_mode & forbidden) != 0)
    throw Refused("'" + path + "' is not root's alone");
}

std::string parent_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

}  // namespace

std::string read_root_file(const std::string& path, Reader reader) {
  const Fd parent{::open(parent_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (!parent.valid()) throw Refused("cannot open '" + parent_of(path) + "': " + std::strerror(errno));
  require_roots(parent.get(), S_IFDIR, S_IWGRP | S_IWOTH, parent_of(path));
  const std::string name = path.substr(path.rfind('/') + 1);
  constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  const Fd file{::openat(parent.get(), name.c_str(), kFlags)};
  if (!file.valid()) throw Refused("cannot open '" + path + "': " + std::strerror(errno));
  require_roots(file.get(), S_IFREG, reader == Reader::root ? 077 : S_IWGRP | S_IWOTH, path);
  std::string bytes(kMost, '\0');
  const ssize_t size = ::read(file.get(), bytes.data(), bytes.size());
  if (size < 0) throw Failed(path);
  if (static_cast<std::size_t>(size) == kMost) throw Refused("'" + path + "' is too long");
  bytes.resize(static_cast<std::size_t>(size));
  return bytes;
}

Fd open_root_directory(const std::string& path) {
  const Fd parent{::open(parent_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!parent.valid()) throw Failed(parent_of(path));
  require_roots(parent.get(), S_IFDIR, S_IWGRP | S_IWOTH, parent_of(path));
  return open_root_directory(parent.get(), path.substr(path.rfind('/') + 1), path);
}

Fd open_root_directory(int parent, const std::string& name, const std::string& path) {
  // Its name is synced once: what is kept in it must be found again.
  if (::mkdirat(parent, name.c_str(), 0700) == 0) ::fsync(parent);
  Fd directory{::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (!directory.valid()) throw Refused("cannot open '" + path + "': " + std::strerror(errno));
  require_roots(directory.get(), S_IFDIR, 077, path);
  return directory;
}

Fd open_locked(int directory, const std::string& name) {
  for (;;) {
    constexpr int kFlags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    Fd file{::openat(directory, name.c_str(), kFlags, 0600)};
    if (!file.valid()) throw Refused("cannot open '" + name + "': " + std::strerror(errno));
    require_roots(file.get(), S_IFREG, 077, name);
    if (::flock(file.get(), LOCK_EX) != 0) throw Failed("cannot lock '" + name + "'");
    struct stat locked {
    }, there{};
    if (::fstat(file.get(), &locked) != 0) throw Failed(name);
    // Who held the lock may have removed the file.
    if (::fstatat(directory, name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 && locked.st_ino == there.st_ino)
      return file;
  }
}

}  // namespace fq::imp
