// What a merger meets beside others, at moments that the tests choose: they look on as it opens files.

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>
#include <rocksdb/file_system.h>

#include "base/file.h"
#include "manager/core/change.h"
#include "manager/engine/maintenance.h"
#include "store/rocks/base_file_system.h"
#include "store/rocks/merge.h"
#include "store/store_lock.h"
#include "support/scenario.h"

namespace fq {
namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOStatus;

// Asked when a thread beside the tests' own opens a file of a database to read it from the beginning:
// manifests and what names them. An error is what the thread gets.
std::function<IOStatus(const std::string& path)> on_opening;
const std::thread::id kTests = std::this_thread::get_id();

class WatchedFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "watched"; }
  IOStatus NewSequentialFile(const std::string& path, const FileOptions& options,
                             std::unique_ptr<rocksdb::FSSequentialFile>* file,
                             IODebugContext* debug) override {
    if (on_opening && std::this_thread::get_id() != kTests) {
      IOStatus status = on_opening(path);
      if (!status.ok()) return status;
    }
    return FileSystemWrapper::NewSequentialFile(path, options, file, debug);
  }
};

}  // namespace

namespace store::rocks {

std::shared_ptr<rocksdb::FileSystem> base_file_system() {
  return std::make_shared<WatchedFileSystem>(rocksdb::FileSystem::Default());
}

}  // namespace store::rocks

namespace manager {
namespace {

using test::Scenario;

class Merger : public testing::Test {
 protected:
  Merger() {
    for (int i = 0; i < kMaxLevel0Files; ++i) commit_much();
  }
  ~Merger() override {
    // The filler is no part of a store.
    transact(store_.session,
             [](Change& change) { change.transaction().erase(store::Family::kvs, "filler"); });
  }

  /// Commits so much that a table is written, and a manifest that tells of it.
  void commit_much() { commit_much(std::string(300'000, 'x')); }
  void commit_much(const std::string& filler) {
    transact(store_.session,
             [&](Change& change) { change.transaction().put(store::Family::kvs, "filler", filler); });
  }
  int level0_files() {
    return transact(store_.session, [](Change&) {}).level0_files;
  }

  /// Merges, and calls `moment` with the number, from 1, of each manifest that the merger opens.
  void merge_with(const std::function<IOStatus(int)>& moment) {
    int manifests = 0;
    bool within = false;
    on_opening = [&](const std::string& path) {
      if (within || path.find("/MANIFEST-") == std::string::npos) return IOStatus::OK();
      within = true;
      IOStatus status = moment(++manifests);
      within = false;
      return status;
    };
    maintain(store_.session);
    on_opening = {};
  }

  Scenario store_;
};

TEST_F(Merger, tries_again_where_a_writer_takes_the_manifest_away) {
  // It has read which one counts, and when it opens that there is another.
  merge_with([&](int manifest) {
    if (manifest == 1) commit_much();
    return IOStatus::OK();
  });
  EXPECT_LT(level0_files(), kMaxLevel0Files);
}

TEST_F(Merger, gives_up_after_some_tries) {
  // What does not go is left to the next one.
  int opened = 0;
  merge_with([&](int manifest) {
    opened = manifest;
    return IOStatus::IOError("of the test");
  });
  EXPECT_EQ(opened, 2 * 5);  // of both families
  EXPECT_GE(level0_files(), kMaxLevel0Files);
  maintain(store_.session);
  EXPECT_LT(level0_files(), kMaxLevel0Files);
}

TEST_F(Merger, leaves_other_families_alone_where_one_fails) {
  // That of the documents fails five times, the other one is merged, and then that of the documents fails
  // again.
  merge_with([&](int manifest) { return manifest == 6 ? IOStatus::OK() : IOStatus::IOError("of the test"); });
  EXPECT_GE(level0_files(), kMaxLevel0Files);
  const std::string database = store::database_path(store_.session.store);
  EXPECT_EQ(store::rocks::plan_merge(database, kMaxLevel0Files).value().size(), 1U);
}

TEST_F(Merger, merges_at_once_what_has_piled_up) {
  // Beside the writers it would be too slow.
  for (int i = kMaxLevel0Files; i < 6 * kMaxLevel0Files; ++i) commit_much();
  int opened = 0;
  merge_with([&](int manifest) {
    opened = manifest;
    return IOStatus::IOError("of the test");
  });
  EXPECT_EQ(opened, 0);
  EXPECT_LT(level0_files(), kMaxLevel0Files);
}

TEST_F(Merger, merges_much_beside_the_writers_however_many_files_it_is) {
  std::mt19937 random(1);
  std::string filler(1'000'000, ' ');
  for (int i = kMaxLevel0Files; i < 6 * kMaxLevel0Files; ++i) {
    std::generate(filler.begin(), filler.end(), [&] { return static_cast<char>(random()); });
    commit_much(filler);
  }
  merge_with([&](int) { return IOStatus::IOError("of the test"); });
  EXPECT_GE(level0_files(), 6 * kMaxLevel0Files);
  maintain(store_.session);
  EXPECT_LT(level0_files(), kMaxLevel0Files);
}

TEST_F(Merger, begins_each_try_without_what_the_last_one_left) {
  // Else the disk would have to hold all of them.
  const std::string files = store_.session.store + "/merge/files/0";  // of the documents
  std::string left;
  merge_with([&](int manifest) {
    if (manifest > 3) return IOStatus::OK();  // of the other family
    const auto names = names_in(files).value();
    for (const std::string& name : names) left += fmt::format("{}: {} ", manifest, name);
    write_file(fmt::format("{}/{:06}.sst", files, 900 + manifest), "half of it");
    return manifest < 3 ? IOStatus::IOError("of the test") : IOStatus::OK();
  });
  EXPECT_EQ(left, "");
  EXPECT_LT(level0_files(), kMaxLevel0Files);
}

}  // namespace
}  // namespace manager
}  // namespace fq
