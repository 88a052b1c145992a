#include "manager/engine/store_check.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "manager/engine/lost_shells.h"
#include "manager/engine/network_file_system.h"
#include "meeting/job_files.h"
#include "meeting/leftovers.h"
#include "records/housekeeping.h"
#include "records/instance.h"
#include "records/job_table.h"
#include "records/keys.h"
#include "store/rocks/damage.h"
#include "store/store_lock.h"

namespace fq::manager {
namespace {

using store::Family;

constexpr std::array kDirectories{"db", "alive", "guest", "data", "wake", "inbox", "trash", "merge"};

void refuse_writable_by_others(const std::string& path, const struct stat& info, std::string_view what) {
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) == 0) return;
  throw Error{Kind::unavailable, fmt::format("{} {} can be written by others", what, quote(path)),
              fmt::format("chmod 700 {}", path)};
}

void refuse_foreign(const std::string& path, const struct stat& info, std::string_view what) {
  if (info.st_uid == ::getuid()) return;
  // Root included: files that it made would lock the owner out.
  throw Error{Kind::permission, fmt::format("{} {} belongs to user {}", what, quote(path), info.st_uid),
              "act as that user, or use a store of your own"};
}

void refuse_links_in(const std::string& directory) {
  DIR* entries = ::opendir(directory.c_str());
  if (entries == nullptr) return;
  std::string found;
  while (const dirent* entry = ::readdir(entries)) {
    struct stat info {};
    const bool link = entry->d_type == DT_LNK ||
                      (entry->d_type == DT_UNKNOWN &&
                       ::fstatat(::dirfd(entries), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
                       S_ISLNK(info.st_mode));
    if (link) found = entry->d_name;
  }
  ::closedir(entries);
  if (found.empty()) return;
  throw Error{Kind::unavailable,
              fmt::format("{} in the store is a symbolic link", quote(directory + "/" + found)),
              "a store is one directory of plain files"};
}

// Links first: one to another directory would answer for it.
void check_contents(const std::string& path) {
  refuse_links_in(path);
  refuse_links_in(store::database_path(path));
  for (const char* name : kDirectories) {
    const std::string directory = fmt::format("{}/{}", path, name);
    struct stat info {};
    if (::lstat(directory.c_str(), &info) != 0) continue;
    refuse_writable_by_others(directory, info, "the directory");
    refuse_foreign(directory, info, "the directory");
  }
}

bool has_nothing_of_a_store(const std::string& path) {
  return std::none_of(kDirectories.begin(), kDirectories.end(), [&](const char* name) {
    struct stat info {};
    return ::lstat(fmt::format("{}/{}", path, name).c_str(), &info) == 0 || errno != ENOENT;
  });
}

Error no_store(const std::string& path) {
  return Error{
      Kind::not_found, fmt::format("there is no store in {}", quote(path)),
      path == kSystemStore
          ? "fq init --system makes the one that users share; without the directory each has one of their own"
          : "fq init makes one, and fq submit does where none is named"};
}

std::string recorded_place(const store::Reader& reader) {
  return reader.get(Family::instance, records::key::kPlace).value_or("");
}

// Nothing, and errno, where it cannot be looked at.
std::optional<std::string> find_place(const std::string& database_directory) {
  struct statx info {};
  if (::statx(AT_FDCWD, database_directory.c_str(), 0, STATX_INO | STATX_BTIME, &info) != 0)
    return std::nullopt;
  const bool known = (info.stx_mask & STATX_BTIME) != 0;
  return fmt::format("{} {}", info.stx_ino,
                     known ? info.stx_btime.tv_sec * 1'000'000'000 + info.stx_btime.tv_nsec : 0);
}

// Whether a job that the store knows as running still has processes.
bool any_running_job_lives(const std::string& path, const store::Reader& reader) {
  const std::string boot = boot_id();
  std::vector<meeting::AttemptOf> running;
  for (const JobId id : running_jobs(reader)) {
    const auto job = records::find_job(reader, id);
    if (job && job->boot_id == boot) running.push_back({job->id, job->attempt});
  }
  for (const records::Housekeeping& each : records::read_housekeepings(reader)) {
    if (each.boot_id == boot) running.push_back({each.id, each.attempt});
  }
  // A store that stands where a shell has its own is the original or another one; where none does any more,
  // the original may have been.
  const std::string original = recorded_place(reader);
  const auto is_original = [&original](const std::string& store) {
    return find_place(store::database_path(store)).value_or(original) == original;
  };
  return !running.empty() && meeting::any_alive(meeting::JobFiles{path}, running, is_original);
}

}  // namespace

void refuse_network_file_system(const std::string& path) {
  const std::string found = network_file_system(path);
  if (found.empty()) return;
  throw Error{Kind::unavailable,
              fmt::format("the store {} is on a network file system, {}", quote(path), found),
              "locks and syncs must be this machine's own: use --store with a local directory"};
}

bool store_exists(const std::string& path) {
  const std::string database = store::database_path(path);
  return exists(database + "/CURRENT") || store::rocks::database_exists(database);
}

bool is_free(const std::string& path) {
  if (store_exists(path)) return false;
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return errno == ENOENT || errno == ENOTDIR;
  return S_ISDIR(info.st_mode) && info.st_uid == ::getuid();
}

void check_store(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) throw no_store(path);
    throw system_error("cannot use the store " + quote(path), errno);
  }
  if (!S_ISDIR(info.st_mode) && !S_ISLNK(info.st_mode)) {
    throw error(Kind::unavailable, "the store {} is not a directory", quote(path));
  }
  // Before it is advised to change the modes of a directory that is none.
  if (has_nothing_of_a_store(path)) {
    if (path == kSystemStore) refuse_foreign(path, info, "the directory");
    throw no_store(path);
  }
  if (::stat(path.c_str(), &info) == 0) refuse_writable_by_others(path, info, "the store");
  refuse_foreign(path, info, "the store");
  refuse_network_file_system(path);
  check_contents(path);
  if (!store_exists(path)) {
    if (::access((path + "/db").c_str(), R_OK | X_OK) != 0 && errno == EACCES) {
      throw error(Kind::permission, "cannot read the store {}", quote(path));
    }
    throw no_store(path);
  }
}

std::string place_of(const std::string& database_directory) {
  const auto place = find_place(database_directory);
  if (!place) throw system_error("cannot look at " + quote(database_directory), errno);
  return *place;
}

bool is_copy(const std::string& path, const store::Reader& reader) {
  const std::string place = recorded_place(reader);
  return !place.empty() && place != place_of(store::database_path(path));
}

void require_own_machine(const std::string& path, const store::Reader& reader) {
  const records::StoreInfo info = records::read_store_info(reader);
  if (!info.machine_id.empty() && info.machine_id != machine_id()) {
    throw Error{Kind::unavailable,
                fmt::format("the store {} was made on another machine, {}", quote(path), info.hostname),
                "its locks and processes are of that machine: use it there"};
  }
}

void require_own_store(const std::string& path, const store::Reader& reader) {
  require_own_machine(path, reader);
  if (!is_copy(path, reader) || !any_running_job_lives(path, reader)) return;
  throw Error{Kind::unavailable, fmt::format("the store {} is a copy of one whose jobs run", quote(path)),
              "use that one; fq init --adopt makes this one a store of its own, in which they have failed"};
}

void record_place(const std::string& path, store::Transaction& transaction) {
  const std::string place = place_of(store::database_path(path));
  if (recorded_place(transaction) != place) {
    transaction.put(Family::instance, records::key::kPlace, place);
  }
}

}  // namespace fq::manager
