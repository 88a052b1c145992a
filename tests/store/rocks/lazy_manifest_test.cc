// The manifest of an opening is put off, and made up for before anything counts on it.

#include "store/rocks/lazy_manifest.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "store/rocks/database.h"
#include "store/rocks/merge.h"
#include "support/temp_directory.h"

namespace fq::store::rocks {
namespace {

class LazyManifestTest : public testing::Test {
 protected:
  LazyManifestTest() { commit(/*bytes=*/1, /*create=*/true); }

  /// One process's work: opens the database, stores the next number beside so many bytes, closes it.
  bool commit(std::size_t bytes = 1, bool create = false) {
    auto database = Database::open(directory_, create);
    auto transaction = database.begin();
    transaction.put(Family::kvs, std::to_string(++commits_), std::string(bytes, 'x'));
    transaction.commit();
    return database.close();
  }
  [[nodiscard]] std::string current() const { return read_file(directory_ + "/CURRENT"); }
  [[nodiscard]] std::size_t stored() const {
    auto database = Database::open(directory_, /*create=*/false);
    const auto reader = database.begin();
    std::size_t n = 0;
    for (const auto at = reader.scan_prefix(Family::kvs, ""); at->valid(); at->next()) ++n;
    return n;
  }
  /// `MANIFEST` once for each there is, and what is left of a CURRENT in the making.
  [[nodiscard]] std::string manifests() const {
    std::string found;
    const auto names = names_in(directory_);
    for (const std::string& name : names.value()) {
      if (name.starts_with("MANIFEST-") || name.ends_with(".dbtmp")) found += name.substr(0, 8) + " ";
    }
    return found;
  }

  test::TempDirectory temp_;
  std::string directory_ = temp_.path() + "/db";
  std::size_t commits_ = 0;
};

TEST_F(LazyManifestTest, commits_leave_the_manifest_alone) {
  // What they add is in logs, which the manifest need not name.
  commit();
  const std::string before = current();
  for (int i = 0; i < 5; ++i) commit();
  EXPECT_EQ(current(), before);
  EXPECT_EQ(manifests(), "MANIFEST ");
  EXPECT_EQ(stored(), commits_);
}

TEST_F(LazyManifestTest, new_tables_are_told_of) {
  // A commit that flushes points CURRENT at a manifest that knows the tables; the one before is gone.
  commit();
  const std::string before = current();
  EXPECT_TRUE(commit(1U << 20U));
  EXPECT_NE(current(), before);
  EXPECT_EQ(manifests(), "MANIFEST ");
  EXPECT_EQ(stored(), commits_);
}

TEST_F(LazyManifestTest, logs_that_an_opening_flushed_go_after_the_switch) {
  // Writers that were killed leave more than the next one keeps in memory: it writes tables and removes the
  // logs as it opens, and is killed as well. The manifest tells of the tables.
  const std::string before = current();
  for (int i = 0; i < 3; ++i) {
    auto killed = Database::open(directory_, /*create=*/false);  // it is not closed
    auto transaction = killed.begin();
    transaction.put(Family::kvs, std::to_string(++commits_), std::string(5U << 20U, 'x'));
    transaction.commit();
  }
  EXPECT_NE(current(), before);
  EXPECT_EQ(stored(), commits_);
}

TEST_F(LazyManifestTest, many_flushes_and_merges_lose_nothing) {
  for (int i = 0; i < 40; ++i) {
    commit(i % 3 == 0 ? 300'000 : 10);
    if (i % 7 != 0) continue;
    auto plan = plan_merge(directory_, 2);
    while (plan) {
      const std::string scratch = temp_.path() + "/merge";
      remove_tree(scratch);
      make_directory(scratch);
      plan = install_merge(directory_, *plan, do_merge(directory_, *plan, scratch), 2);
    }
  }
  EXPECT_EQ(manifests(), "MANIFEST ");
  EXPECT_EQ(stored(), commits_);
}

// A file system one of whose calls fails.
class Failing final : public rocksdb::FileSystemWrapper {
 public:
  explicit Failing(int call) : FileSystemWrapper(rocksdb::FileSystem::Default()), left_(call) {}
  const char* Name() const override { return "failing"; }
  [[nodiscard]] bool failed() const { return left_ <= 0; }

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    if (--left_ == 0) return rocksdb::IOStatus::IOError("fails");
    return FileSystemWrapper::NewWritableFile(path, options, file, debug);
  }
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    if (--left_ == 0) return rocksdb::IOStatus::IOError("fails");
    return FileSystemWrapper::RenameFile(from, to, options, debug);
  }
  rocksdb::IOStatus NewDirectory(const std::string& path, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* directory,
                                 rocksdb::IODebugContext* debug) override {
    if (--left_ == 0) return rocksdb::IOStatus::IOError("fails");
    return FileSystemWrapper::NewDirectory(path, options, directory, debug);
  }
  rocksdb::IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override {
    if (--left_ == 0) return rocksdb::IOStatus::IOError("fails");
    return FileSystemWrapper::DeleteFile(path, options, debug);
  }

 private:
  int left_;
};

TEST_F(LazyManifestTest, a_log_goes_only_when_the_switch_is_made) {
  // RocksDB's calls of an opening by hand: until the rename CURRENT names the old manifest, which is there;
  // from then on the new one, which is whole. Only a complete switch lets a log be deleted, and there is one
  // try.
  const std::string old = current();
  const std::string path = directory_ + "/MANIFEST-999999";
  bool complete = false;
  for (int call = 1; !complete; ++call) {
    Failing files(call);
    LazyManifest manifest(&files, directory_);
    manifest.begin_opening();
    std::unique_ptr<rocksdb::FSWritableFile> file, temporary;
    ASSERT_TRUE(manifest.make_file(path, {}, &file));
    ASSERT_TRUE(file->Append("what RocksDB says", {}, nullptr).ok());
    ASSERT_TRUE(file->Sync({}, nullptr).ok());
    ASSERT_TRUE(manifest.make_file(directory_ + "/999999.dbtmp", {}, &temporary));
    ASSERT_TRUE(manifest.rename(directory_ + "/999999.dbtmp", directory_ + "/CURRENT"));
    ASSERT_TRUE(manifest.remove(directory_ + "/" + old.substr(0, old.size() - 1)));
    manifest.end_opening();
    std::uint64_t size = 0;
    ASSERT_TRUE(manifest.file_size(path, &size));
    EXPECT_EQ(size, 17U);
    EXPECT_EQ(current(), old);

    const bool may_remove = manifest.before_removal().ok();
    complete = !files.failed();
    // What RocksDB has given up by then must not be written later.
    EXPECT_EQ(manifest.before_removal().ok(), may_remove);
    if (current() == old) {
      EXPECT_FALSE(may_remove);
      EXPECT_TRUE(exists(directory_ + "/" + old.substr(0, old.size() - 1)));
    } else {
      EXPECT_EQ(current(), "MANIFEST-999999\n");
      EXPECT_EQ(read_file(path), "what RocksDB says");
      write_file(directory_ + "/CURRENT", old);
    }
    ASSERT_LT(call, 20);
  }
  EXPECT_EQ(manifests(), "MANIFEST ");
}

}  // namespace
}  // namespace fq::store::rocks
