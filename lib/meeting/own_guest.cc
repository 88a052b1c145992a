#include "meeting/own_guest.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "base/try_to.h"
#include "notation/kvs_key.h"

namespace fq::meeting {
namespace {

constexpr std::string_view kMoved = "guest.";

UniqueFd open_directory(const std::string& path) {
  return UniqueFd{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
}

UniqueFd open_regular_at(int directory, const std::string& name) {
  UniqueFd fd{::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
  if (!fd.valid()) return fd;
  struct stat info {};
  const bool regular = ::fstat(fd.get(), &info) == 0 && S_ISREG(info.st_mode);
  if (!regular) fd.reset();
  errno = 0;
  return fd;
}

// Whether there are no more names than those visited, at most kMaxOwnEntries.
template <typename Visit>
bool for_each_name(UniqueFd directory, const Visit& visit) {
  DIR* open = ::fdopendir(directory.get());
  if (open == nullptr) return true;
  static_cast<void>(directory.release());
  std::size_t visited = 0;
  bool all = true;
  while (const dirent* entry = ::readdir(open)) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (++visited > kMaxOwnEntries) {
      all = false;
      break;
    }
    visit(std::string{name});
  }
  ::closedir(open);
  return all;
}

// Why a file is not kept, whatever else there is; empty: it is.
std::string_view fault_of(int directory, const std::string& name, std::uint64_t& size) {
  struct stat info {};
  if (!notation::is_kvs_key(name)) return "no name of a key";
  if (!is_own_guest_name(name)) return "the name is not free";
  if (::fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return "it cannot be looked at";
  if (!S_ISREG(info.st_mode)) return "no regular file";
  size = static_cast<std::uint64_t>(info.st_size);
  if (size > kMaxOwnFileBytes) return "larger than 256 MiB";
  if (::faccessat(directory, name.c_str(), R_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) != 0) return "unreadable";
  return {};
}

// Files that are right each by itself, by name: no more than may be kept, and the first ones.
class Candidates {
 public:
  explicit Candidates(LeftOut& left_out) : left_out_(left_out) {}

  void add(const std::string& name, std::uint64_t size) {
    sizes_.emplace(name, size);
    if (sizes_.size() <= kMaxOwnFiles) return;
    const auto last = std::prev(sizes_.end());
    left_out_.add(last->first, fmt::format("more than {} files", kMaxOwnFiles));
    sizes_.erase(last);
  }

  [[nodiscard]] std::vector<OwnGuestFile> take() {
    std::vector<OwnGuestFile> files;
    std::uint64_t sum = 0;
    for (auto& [name, size] : sizes_) {
      if (sum + size > kMaxOwnBytes) {
        left_out_.add(name, "more than 1 GiB in all");
        continue;
      }
      sum += size;
      files.push_back({name, size});
    }
    return files;
  }

 private:
  LeftOut& left_out_;
  std::map<std::string, std::uint64_t> sizes_;
};

void look_into(const std::string& path, Candidates& candidates, LeftOut& left_out) {
  UniqueFd own = open_directory(path);
  if (!own.valid()) {
    if (errno != ENOENT) left_out.add("$FLUX_JOB_GUEST_DIR", std::strerror(errno));
    return;
  }
  const int directory = own.get();
  const bool all = for_each_name(std::move(own), [&](const std::string& name) {
    std::uint64_t size = 0;
    const std::string_view fault = fault_of(directory, name, size);
    if (fault.empty()) {
      candidates.add(name, size);
    } else {
      left_out.add(name, fault);
    }
  });
  if (!all)
    left_out.add("$FLUX_JOB_GUEST_DIR", fmt::format("only {} of its names are looked at", kMaxOwnEntries));
}

}  // namespace

void LeftOut::add(const std::string& name, std::string_view why) {
  constexpr std::size_t kTold = 3;
  ++count_;
  told_.emplace(name, why);
  if (told_.size() > kTold) told_.erase(std::prev(told_.end()));
}

std::string LeftOut::text() const {
  if (count_ == 0) return {};
  std::vector<std::string> parts;
  for (const auto& [name, why] : told_) parts.push_back(fmt::format("{} ({})", quote(name), why));
  const std::string more =
      count_ > told_.size() ? fmt::format(" and {} more", count_ - told_.size()) : std::string{};
  return fmt::format("not kept as guest.NAME: {}{}", join(parts, ", "), more);
}

std::string own_guest_dir(const JobFiles& files, notation::JobId id) {
  return files.guest(id) + "/own";
}

UniqueFd open_regular(const std::string& path) {
  return open_regular_at(AT_FDCWD, path);
}

bool is_own_guest_name(std::string_view name) {
  constexpr std::array<std::string_view, 6> kTaken{"exec",   "output", "input",
                                                   "prolog", "epilog", "housekeeping"};
  for (const std::string_view taken : kTaken) {
    if (notation::is_in(taken, name)) return false;
  }
  return notation::is_kvs_key(name);
}

OwnGuest find_own_guest(const JobFiles& files, notation::JobId id) {
  LeftOut left_out;
  Candidates candidates(left_out);
  if (UniqueFd moved = open_directory(files.data(id)); moved.valid()) {
    const int directory = moved.get();
    static_cast<void>(for_each_name(std::move(moved), [&](const std::string& file) {
      std::uint64_t size = 0;
      if (!file.starts_with(kMoved)) return;
      const std::string name = file.substr(kMoved.size());
      struct stat info {};
      if (!is_own_guest_name(name) || ::fstatat(directory, file.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
        return;
      size = static_cast<std::uint64_t>(info.st_size);
      if (S_ISREG(info.st_mode)) candidates.add(name, size);
    }));
  }
  look_into(own_guest_dir(files, id), candidates, left_out);
  std::vector<OwnGuestFile> kept = candidates.take();
  return {std::move(kept), left_out.text()};
}

OwnGuest find_own_files(const std::string& directory) {
  LeftOut left_out;
  Candidates candidates(left_out);
  look_into(directory, candidates, left_out);
  std::vector<OwnGuestFile> kept = candidates.take();
  return {std::move(kept), left_out.text()};
}

UniqueFd open_own_guest(const JobFiles& files, notation::JobId id, std::string_view name) {
  if (!is_own_guest_name(name)) return {};
  const UniqueFd own = open_directory(own_guest_dir(files, id));
  return own.valid() ? open_regular_at(own.get(), std::string{name}) : UniqueFd{};
}

std::string settle_own_guest(const JobFiles& files, notation::JobId id) {
  if (::rmdir(own_guest_dir(files, id).c_str()) == 0) return {};
  OwnGuest found = find_own_guest(files, id);
  for (const OwnGuestFile& file : found.files) {
    const UniqueFd fd = open_own_guest(files, id, file.name);
    if (fd.valid()) ::fdatasync(fd.get());
  }
  if (!found.files.empty()) try_to([&] { sync_directory(own_guest_dir(files, id)); });
  return std::move(found.left_out);
}

}  // namespace fq::meeting
