#include "base/file.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/text.h"

namespace fq {

namespace {

// To the end, or until there is more than `most`: errno of a read that failed, 0 otherwise.
int append_all(int fd, std::size_t most, std::string& bytes) {
  struct stat info {};
  if (::fstat(fd, &info) == 0 && info.st_size > 0) {
    bytes.reserve(std::min(static_cast<std::size_t>(info.st_size), most) + 1);
  }
  char buffer[65536];
  while (bytes.size() <= most) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n == 0) return 0;
    if (n > 0) {
      bytes.append(buffer, static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

std::string read_all(int fd, const std::string& path, std::size_t most) {
  std::string bytes;
  if (const int number = append_all(fd, most, bytes); number != 0) {
    throw system_error("cannot read " + quote(path), number);
  }
  if (bytes.size() > most) throw error(Kind::invalid, "{} has more than {} bytes", quote(path), most);
  return bytes;
}

UniqueFd open_file(const std::string& path, int flags, mode_t mode) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  if (fd < 0) throw system_error("cannot open " + quote(path), errno);
  return UniqueFd{fd};
}

std::string read_file(const std::string& path) {
  return read_all(open_file(path, O_RDONLY).get(), path);
}

std::optional<std::string> read_file_if_exists(const std::string& path) {
  const UniqueFd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!fd.valid()) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    throw system_error("cannot open " + quote(path), errno);
  }
  std::string bytes;
  const int number = append_all(fd.get(), std::numeric_limits<std::size_t>::max() - 1, bytes);
  if (number == ESRCH) return std::nullopt;
  if (number != 0) throw system_error("cannot read " + quote(path), number);
  return bytes;
}

void write_all(int fd, std::string_view bytes, std::string_view path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      throw system_error("cannot write " + quote(path), errno);
    }
  }
}

void write_file(const std::string& path, std::string_view bytes, mode_t mode) {
  write_all(open_file(path, O_WRONLY | O_CREAT | O_TRUNC, mode).get(), bytes, path);
}

void sync_file(const std::string& path) {
  const UniqueFd fd = open_file(path, O_RDONLY);
  if (::fsync(fd.get()) != 0) throw system_error("cannot sync " + quote(path), errno);
}

void sync_directory(const std::string& path) {
  const UniqueFd fd = open_file(path, O_RDONLY | O_DIRECTORY);
  if (::fsync(fd.get()) != 0) throw system_error("cannot sync " + quote(path), errno);
}

void rename_synced(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) throw system_error("cannot rename " + quote(from), errno);
  const std::string directory = std::filesystem::path(to).parent_path().string();
  sync_directory(directory.empty() ? "." : directory);
}

void replace_file(const std::string& path, std::string_view bytes, mode_t mode) {
  const std::string temporary = path + ".new";
  {
    const UniqueFd fd{::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)};
    if (!fd.valid()) throw system_error("cannot write " + quote(path), errno);
    write_all(fd.get(), bytes, path);
    if (::fsync(fd.get()) != 0) throw system_error("cannot sync " + quote(path), errno);
  }
  rename_synced(temporary, path);
}

std::size_t free_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const auto open = names_in("/proc/self/fd");
  if (!open) return 0;
  const std::size_t used = open->size() - 1;  // but that of the look itself
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

std::optional<std::vector<std::string>> names_in(const std::string& directory) {
  DIR* open = ::opendir(directory.c_str());
  if (open == nullptr) return std::nullopt;
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(open)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  ::closedir(open);
  return names;
}

void make_directory(const std::string& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) != 0 && errno != EEXIST) {
    throw system_error("cannot create directory " + quote(path), errno);
  }
}

bool exists(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

std::int64_t modification_time_ns(const std::string& path) {
  constexpr std::int64_t kPerSecond = 1'000'000'000;
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return 0;
  return info.st_mtim.tv_sec * kPerSecond + info.st_mtim.tv_nsec;
}

namespace {

// Lets the owner read and change the directories from `path` down. Links are not followed; what is not the
// caller's stays.
void open_directories(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return;
  const mode_t mode = info.st_mode & 07777U;
  if ((mode & S_IRWXU) != S_IRWXU) ::fchmodat(AT_FDCWD, path.c_str(), mode | S_IRWXU, AT_SYMLINK_NOFOLLOW);
  for (const std::string& name : names_in(path).value_or(std::vector<std::string>{})) {
    open_directories(path + "/" + name);
  }
}

}  // namespace

void remove_tree(const std::string& path) {
  std::error_code failure;
  std::filesystem::remove_all(path, failure);
  if (failure == std::errc::permission_denied) {
    open_directories(path);
    std::filesystem::remove_all(path, failure);
  }
  if (failure && failure != std::errc::no_such_file_or_directory) {
    throw system_error("cannot remove " + quote(path), failure.value());
  }
}

}  // namespace fq
