// What a disk keeps when it fails to sync a log: those pages are forgotten, later syncs succeed without them,
// and all the while they are read from memory.

#include <cerrno>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/file_system.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "store/rocks/base_file_system.h"
#include "store/rocks/database.h"
#include "store/rocks/journal.h"
#include "store/store_lock.h"
#include "support/error_text.h"
#include "support/temp_directory.h"

namespace fq::store::rocks {
namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

// Of the journal and of logs, by path, what a power failure would leave. Other files are kept as they are
// written.
class Disk {
 public:
  bool syncs_fail = false;       ///< of logs
  bool left_syncs_fail = false;  ///< of those that other processes left
  bool tables_fail = false;      ///< to be made

  static bool is_log(const std::string& path) { return path.ends_with("/journal") || path.ends_with(".log"); }
  void wrote(const std::string& path, std::uint64_t at, std::uint64_t size) {
    logs_[path].unsynced.emplace_back(at, size);
  }
  IOStatus sync(const std::string& path) {
    Log& log = logs_[path];
    const auto unsynced = std::exchange(log.unsynced, {});
    if (syncs_fail) return IOStatus::IOError("sync fails");
    const std::string now = read_file(path);
    log.kept.resize(now.size());
    for (const auto& [at, size] : unsynced) {
      if (at < now.size()) log.kept.replace(at, size, now, at, size);
    }
    return IOStatus::OK();
  }
  void power_failure() {
    for (auto& [path, log] : logs_) {
      log.unsynced.clear();
      if (exists(path)) write_file(path, log.kept);
    }
  }

 private:
  struct Log {
    std::string kept;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> unsynced;  ///< offsets and sizes
  };
  std::map<std::string, Log> logs_;
};

Disk* disk = nullptr;  // none: all is well

struct AppendedLog final : rocksdb::FSWritableFileOwnerWrapper {
  AppendedLog(std::unique_ptr<rocksdb::FSWritableFile>&& file, std::string of)
      : FSWritableFileOwnerWrapper(std::move(file)), path(std::move(of)) {}
  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    disk->wrote(path, GetFileSize(options, debug), data.size());
    return FSWritableFileOwnerWrapper::Append(data, options, debug);
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo&,
                  IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  IOStatus Sync(const IOOptions&, IODebugContext*) override { return disk->sync(path); }
  IOStatus Fsync(const IOOptions&, IODebugContext*) override { return disk->sync(path); }
  std::string path;
};

struct WrittenLog final : rocksdb::FSRandomRWFileOwnerWrapper {
  WrittenLog(std::unique_ptr<rocksdb::FSRandomRWFile>&& file, std::string of)
      : FSRandomRWFileOwnerWrapper(std::move(file)), path(std::move(of)) {}
  IOStatus Write(std::uint64_t at, const Slice& data, const IOOptions& options,
                 IODebugContext* debug) override {
    disk->wrote(path, at, data.size());
    return FSRandomRWFileOwnerWrapper::Write(at, data, options, debug);
  }
  IOStatus Sync(const IOOptions&, IODebugContext*) override { return disk->sync(path); }
  std::string path;
};

class FailingFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "failing"; }

  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) override {
    if (disk != nullptr && disk->tables_fail && path.ends_with(".sst"))
      return IOStatus::IOError("no table can be made");
    return watched(path, FileSystemWrapper::NewWritableFile(path, options, file, debug), file);
  }
  IOStatus ReopenWritableFile(const std::string& path, const FileOptions& options,
                              std::unique_ptr<rocksdb::FSWritableFile>* file,
                              IODebugContext* debug) override {
    return watched(path, FileSystemWrapper::ReopenWritableFile(path, options, file, debug), file);
  }
  IOStatus NewRandomRWFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSRandomRWFile>* file, IODebugContext* debug) override {
    IOStatus status = FileSystemWrapper::NewRandomRWFile(path, options, file, debug);
    if (disk != nullptr && status.ok() && Disk::is_log(path))
      *file = std::make_unique<WrittenLog>(std::move(*file), path);
    return status;
  }

 private:
  static IOStatus watched(const std::string& path, IOStatus status,
                          std::unique_ptr<rocksdb::FSWritableFile>* file) {
    if (disk != nullptr && status.ok() && Disk::is_log(path))
      *file = std::make_unique<AppendedLog>(std::move(*file), path);
    return status;
  }
};

}  // namespace

// Logs that others left are synced without RocksDB.
extern "C" int fdatasync(int file) {
  char path[4096];
  const ssize_t size = ::readlink(fmt::format("/proc/self/fd/{}", file).c_str(), path, sizeof path);
  if (disk != nullptr && disk->left_syncs_fail && size > 0 &&
      Disk::is_log({path, static_cast<std::size_t>(size)})) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fdatasync, file));
}

std::shared_ptr<rocksdb::FileSystem> base_file_system() {
  return std::make_shared<FailingFileSystem>(rocksdb::FileSystem::Default());
}

namespace {

class FailingDisk : public testing::Test {
 protected:
  FailingDisk() {
    disk = &disk_;
    Database::open(path(), true).close();
  }
  ~FailingDisk() override { disk = nullptr; }

  static void put(Database& database, const std::string& key, std::size_t size = 1) {
    Transaction t = database.begin();
    t.put(Family::index, key, std::string(size, 'x'));
    t.commit();
  }
  /// The keys that the next process finds.
  [[nodiscard]] std::string found() const {
    Database database = Database::open(path(), false);
    const Transaction t = database.begin();
    std::string out;
    for (const auto at = t.scan(Family::index, "", ""); at->valid(); at->next())
      out += fmt::format("{} ", at->key());
    return out;
  }
  /// From here on logs are files of their own.
  static void fill_journal(Database& database) {
    Transaction t = database.begin();
    t.put(Family::kvs, "much", std::string(Journal::kMostBytes + 1, 'x'));
    t.commit_to_tables();
  }
  std::string path() const { return database_path(directory_.path()); }

  test::TempDirectory directory_;
  Disk disk_;
};

// Of a log in the journal, or of one that is a file.
class FailedSync : public FailingDisk, public testing::WithParamInterface<bool> {
 protected:
  /// Commits `a`, then `b` with a disk that fails.
  void commit_with_failing_disk() {
    Database database = Database::open(path(), false);
    put(database, "a");
    if (GetParam()) fill_journal(database);
    disk_.syncs_fail = disk_.tables_fail = true;
    EXPECT_EQ(error_text([&] {
                put(database, "b");
                return 0;
              }),
              "outcome unknown: the change was not stored: IO error: sync fails; then cannot flush the "
              "store's logs: IO error: no table can be made");
    database.close();
  }
};

TEST_P(FailedSync, what_is_committed_behind_it_outlives_a_power_failure) {
  // Who finds the commit of an unknown outcome in memory must not build on it before it is on the disk.
  commit_with_failing_disk();
  disk_.syncs_fail = disk_.tables_fail = false;
  {
    Database database = Database::open(path(), false);
    put(database, "c");
  }
  EXPECT_EQ(found(), "a b c ");
  disk_.power_failure();
  EXPECT_EQ(found(), "a b c ");
}

TEST_P(FailedSync, nothing_is_committed_behind_it_while_the_disk_fails) {
  // Readers still have what is in memory; when the power fails, what was acknowledged is there.
  commit_with_failing_disk();
  disk_.syncs_fail = false;
  EXPECT_EQ(error_text([&] {
              Database database = Database::open(path(), false);
              put(database, "c");
              return 0;
            }),
            "cannot flush the store's logs: IO error: no table can be made");
  disk_.power_failure();
  disk_.tables_fail = false;
  EXPECT_EQ(found(), "a ");
  Database database = Database::open(path(), false);
  put(database, "d");
  database.close();
  EXPECT_EQ(found(), "a d ");
}

TEST_F(FailingDisk, a_log_that_another_left_is_in_tables_before_more_is_committed) {
  // Who could not sync it has taken the error: the next one's sync succeeds.
  std::string log;
  {
    Database database = Database::open(path(), false);
    fill_journal(database);
    put(database, "a");
  }
  const auto names = names_in(path()).value();
  for (const std::string& name : names) {
    if (name.ends_with(".log")) log = name;
  }
  const auto open = [&] { return Database::open(path(), false).transaction_number(); };
  disk_.left_syncs_fail = true;
  EXPECT_EQ(error_text(open), fmt::format("cannot sync '{}/{}': Input/output error", path(), log));
  disk_.left_syncs_fail = false;
  disk_.tables_fail = true;
  EXPECT_EQ(error_text(open), "cannot flush the store's logs: IO error: no table can be made");
  disk_.tables_fail = false;
  EXPECT_EQ(error_text(open), "no error");
}

INSTANTIATE_TEST_SUITE_P(, FailedSync, testing::Bool(),
                         [](const auto& log) { return log.param ? "of_a_file" : "of_the_journal"; });

}  // namespace
}  // namespace fq::store::rocks
