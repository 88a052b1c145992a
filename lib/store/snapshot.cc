#include "store/snapshot.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_lock.h"
#include "base/text.h"
#include "store/file_system.h"
#include "store/rocksdb_options.h"
#include "store/store_lock.h"

namespace fq::store {
namespace {

constexpr int kUnlockedTries = 5;

// What changes whenever the set of files, or which of them count, changes.
std::string stamp(const std::string& directory) {
  const auto current = read_file_if_exists(directory + "/CURRENT");
  if (!current) throw error(Kind::not_found, "there is no database in {}", quote(directory));
  struct stat manifest {};
  const std::string name{trim(*current)};
  if (::stat((directory + "/" + name).c_str(), &manifest) != 0) return {};
  std::vector<std::string> logs = log_names(directory);
  std::sort(logs.begin(), logs.end());
  return fmt::format("{} {} {}", name, manifest.st_size, join(logs, " "));
}

class ReadOnlyDatabase final : public Reader {
 public:
  explicit ReadOnlyDatabase(const std::string& directory) {
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    rocksdb::DB* opened = nullptr;
    rocksdb::DBOptions options = database_options();
    options.env = reader_env();
    const rocksdb::Status status =
        rocksdb::DB::OpenForReadOnly(options, directory, family_descriptors(), &handles, &opened);
    if (!status.ok()) throw to_error(status, "cannot open the store");
    db_.reset(opened);
    allow_open_tables(*db_);
    std::copy(handles.begin(), handles.end(), families_.begin());
  }
  ~ReadOnlyDatabase() override {
    for (rocksdb::ColumnFamilyHandle* family : families_) db_->DestroyColumnFamilyHandle(family);
  }
  ReadOnlyDatabase(const ReadOnlyDatabase&) = delete;
  ReadOnlyDatabase& operator=(const ReadOnlyDatabase&) = delete;

  [[nodiscard]] std::optional<std::string> get(Family family, std::string_view key) const override {
    std::string value;
    const rocksdb::Status status = db_->Get(rocksdb::ReadOptions{}, handle(family), to_slice(key), &value);
    if (status.IsNotFound()) return std::nullopt;
    if (!status.ok()) throw to_error(status, "cannot read the store");
    return value;
  }
  [[nodiscard]] std::unique_ptr<Cursor> scan(Family family, std::string_view from,
                                             std::string_view to) const override {
    return make_cursor(
        [&](const rocksdb::ReadOptions& options) {
          return std::unique_ptr<rocksdb::Iterator>(db_->NewIterator(options, handle(family)));
        },
        from, to);
  }
  [[nodiscard]] std::vector<std::string> last_keys(Family family, std::string_view prefix,
                                                   std::size_t most) const override {
    const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator(rocksdb::ReadOptions{}, handle(family)));
    return store::last_keys(*at, prefix, most);
  }

 private:
  [[nodiscard]] rocksdb::ColumnFamilyHandle* handle(Family family) const {
    return families_.at(static_cast<std::size_t>(family));
  }
  std::unique_ptr<rocksdb::DB> db_;
  std::array<rocksdb::ColumnFamilyHandle*, kFamilyCount> families_{};
};

// One unlocked try: true when the query ran over one committed state. An error counts only when the store did
// not change meanwhile and is not one that a vanishing file explains.
bool try_unlocked(const std::string& directory, const std::function<void(const Reader&)>& query) {
  const std::string before = stamp(directory);
  std::optional<Error> failure;
  try {
    const ReadOnlyDatabase database(directory);
    query(database);
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
  const auto lock = FileLock::acquire(lock_path(store_directory), LockMode::shared, lock_timeout_s);
  if (!lock) {
    const std::string holder = lock_holder(store_directory);
    throw error(Kind::timeout, "the store {} stayed locked for {} s{}", quote(store_directory),
                lock_timeout_s, holder.empty() ? "" : fmt::format(" by {}", holder));
  }
  const ReadOnlyDatabase database(directory);
  query(database);
  return statistics;
}

}  // namespace fq::store
