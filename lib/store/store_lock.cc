#include "store/store_lock.h"

#include <algorithm>

#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace fq::store {

std::string lock_path(const std::string& store_directory) {
  return store_directory + "/lock";
}
std::string database_path(const std::string& store_directory) {
  return store_directory + "/db";
}

std::string lock_holder(const std::string& store_directory) {
  // "PID COMMAND\n", written by the holder; left behind by the last one, so the process may be gone.
  const std::string text = read_file_if_exists(lock_path(store_directory)).value_or("");
  const std::string_view line = trim(text);
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos || !parse_u64(line.substr(0, space))) return {};
  const std::string_view pid = line.substr(0, space);
  const auto status = read_file_if_exists(fmt::format("/proc/{}/stat", pid));
  if (!status) return {};
  std::string holder = fmt::format("pid {} ({})", pid, line.substr(space + 1));
  const std::size_t name_end = status->rfind(')');
  const bool gone =
      name_end != std::string::npos && name_end + 2 < status->size() && (*status)[name_end + 2] == 'Z';
  if (gone) return {};
  const bool stopped = name_end != std::string::npos && name_end + 2 < status->size() &&
                       ((*status)[name_end + 2] == 'T' || (*status)[name_end + 2] == 't');
  if (stopped) holder += ", which is stopped";
  return holder;
}

StoreLock StoreLock::acquire(const std::string& store_directory, double timeout_s, std::string_view command,
                             const std::function<void(const std::string&)>& waiting) {
  const std::string path = lock_path(store_directory);
  const double soon_s = waiting ? std::min(kSoon_s, timeout_s) : timeout_s;
  auto lock = FileLock::acquire(path, LockMode::exclusive, soon_s);
  if (!lock && soon_s < timeout_s) {
    waiting(lock_holder(store_directory));
    lock = FileLock::acquire(path, LockMode::exclusive, timeout_s - soon_s);
  }
  if (!lock) {
    const std::string holder = lock_holder(store_directory);
    throw error(Kind::timeout, "the store {} stayed locked for {} s{}", quote(store_directory), timeout_s,
                holder.empty() ? "" : fmt::format(" by {}", holder));
  }
  StoreLock taken{std::move(*lock)};
  taken.describe(command);
  return taken;
}

void StoreLock::describe(std::string_view command) {
  const std::string text = fmt::format("{} {}\n", ::getpid(), command);
  if (::pwrite(lock_.fd(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) return;
  // The name of the holder only serves messages: a failure to write it (a full disk) changes nothing.
  [[maybe_unused]] const int ignored = ::ftruncate(lock_.fd(), static_cast<off_t>(text.size()));
}

}  // namespace fq::store
