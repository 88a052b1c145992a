#include "store/rocks/snapshot.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_lock.h"
#include "base/text.h"
#include "store/rocks/acknowledged.h"
#include "store/rocks/damage.h"
#include "store/rocks/file_system.h"
#include "store/rocks/read_only_database.h"
#include "store/store_lock.h"
#include "store/transaction.h"

namespace fq::store::rocks {
namespace {

constexpr int kUnlockedTries = 5;

// What changes whenever the set of files, or which of them count, changes.
std::string stamp(const std::string& directory) {
  const auto current = read_file_if_exists(directory + "/CURRENT");
  if (!current) refuse_without_current(directory);
  struct stat manifest {};
  const std::string name{trim(*current)};
  if (::stat((directory + "/" + name).c_str(), &manifest) != 0) return {};
  std::vector<std::string> logs = log_files(directory);
  std::sort(logs.begin(), logs.end());
  return fmt::format("{} {} {}", name, manifest.st_size, join(logs, " "));
}

// What was acknowledged is asked for first: a commit that comes after that may be there or not.
std::unique_ptr<ReadOnlyDatabase> open_checked(const std::string& directory, Tables tables) {
  const auto known = read_acknowledged(directory);
  static_cast<void>(check_manifest(directory, known));
  auto database = std::make_unique<ReadOnlyDatabase>(directory, Opening::For::reading, tables);
  if (!known && journal_goes_on(directory)) throw journal_error(directory);
  check_transaction(directory, known, transaction_number(*database));
  return database;
}

// One unlocked try: true when `read` ran over one committed state. An error counts only when the store did
// not change meanwhile and is not one that a vanishing file explains.
bool try_unlocked(const std::string& directory, const std::function<void()>& read) {
  const std::string before = stamp(directory);
  std::optional<Error> failure;
  try {
    read();
  } catch (const Error& caught) {
    failure = caught;
  }
  if (before.empty() || stamp(directory) != before) return false;
  if (!failure) return true;
  if (failure->kind() == Kind::io || failure->kind() == Kind::unavailable) return false;
  throw *failure;
}

// What was opened while nobody could write.
std::unique_ptr<ReadOnlyDatabase> open_locked(const std::string& store_directory, double lock_timeout_s) {
  const auto lock = FileLock::acquire(lock_path(store_directory), LockMode::shared, lock_timeout_s);
  if (!lock) {
    const std::string holder = lock_holder(store_directory);
    throw error(Kind::timeout, "the store {} stayed locked for {} s{}", quote(store_directory),
                lock_timeout_s, holder.empty() ? "" : fmt::format(" by {}", holder));
  }
  return open_checked(database_path(store_directory), Tables::at_once);
}

}  // namespace

SnapshotStatistics read_snapshot(const std::string& store_directory, double lock_timeout_s,
                                 const std::function<void(const Reader&)>& query) {
  const std::string directory = database_path(store_directory);
  SnapshotStatistics statistics;
  while (statistics.tries < kUnlockedTries) {
    ++statistics.tries;
    if (try_unlocked(directory, [&] { query(*open_checked(directory, Tables::when_read)); }))
      return statistics;
  }
  ++statistics.tries;
  statistics.locked = true;
  // A query may give its rows to somebody who is slow, or takes none: nobody waits for that one.
  query(*open_locked(store_directory, lock_timeout_s));
  return statistics;
}

std::unique_ptr<const Reader> open_snapshot(const std::string& store_directory, double lock_timeout_s) {
  const std::string directory = database_path(store_directory);
  std::unique_ptr<ReadOnlyDatabase> opened;
  for (int tries = 0; tries < kUnlockedTries; ++tries) {
    if (try_unlocked(directory, [&] { opened = open_checked(directory, Tables::at_once); })) return opened;
    opened.reset();
  }
  return open_locked(store_directory, lock_timeout_s);
}

std::uint64_t acknowledged_transaction(const std::string& store_directory) noexcept {
  const auto known = read_acknowledged(database_path(store_directory));
  return known ? known->transaction : 0;
}

void read_locked(const std::string& store_directory, const std::function<void(const Reader&)>& query) {
  const ReadOnlyDatabase database(database_path(store_directory));
  query(database);
}

}  // namespace fq::store::rocks
