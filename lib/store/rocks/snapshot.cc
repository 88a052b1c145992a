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

// One unlocked try: true when the query ran over one committed state. An error counts only when the store did
// not change meanwhile and is not one that a vanishing file explains.
bool try_unlocked(const std::string& directory, const std::function<void(const Reader&)>& query) {
  const std::string before = stamp(directory);
  std::optional<Error> failure;
  try {
    query(*open_checked(directory, Tables::when_read));
  } catch (const Error& caught) {
    failure = caught;
  }
  if (before.empty() || stamp(directory) != before) return false;
  if (!failure) return true;
  if (failure->kind() == Kind::io || failure->kind() == Kind::unavailable) return false;
  throw *failure;
}

}  // namespace

SnapshotStatistics read_snapshot(const std::string& store_directory, double lock_timeout_s,
                                 const std::function<void(const Reader&)>& query) {
  const std::string directory = database_path(store_directory);
  SnapshotStatistics statistics;
  while (statistics.tries < kUnlockedTries) {
    ++statistics.tries;
    if (try_unlocked(directory, query)) return statistics;
  }
  ++statistics.tries;
  statistics.locked = true;
  auto lock = FileLock::acquire(lock_path(store_directory), LockMode::shared, lock_timeout_s);
  if (!lock) {
    const std::string holder = lock_holder(store_directory);
    throw error(Kind::timeout, "the store {} stayed locked for {} s{}", quote(store_directory),
                lock_timeout_s, holder.empty() ? "" : fmt::format(" by {}", holder));
  }
  const auto database = open_checked(directory, Tables::at_once);
  // A query may give its rows to somebody who is slow, or takes none: nobody waits for that one.
  lock.reset();
  query(*database);
  return statistics;
}

void read_locked(const std::string& store_directory, const std::function<void(const Reader&)>& query) {
  const ReadOnlyDatabase database(database_path(store_directory));
  query(database);
}

}  // namespace fq::store::rocks
