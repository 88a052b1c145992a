// A flush goes first, merges beside it stand still.

#include "store/rocks/right_of_way.h"

#include <atomic>
#include <future>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "base/file.h"
#include "store/rocks/database.h"
#include "store/rocks/journal.h"
#include "store/rocks/paced_file_system.h"
#include "store/store_lock.h"
#include "support/kernel_locks.h"
#include "support/temp_directory.h"

namespace fq::store::rocks {
namespace {

class RightOfWayTest : public testing::Test {
 protected:
  const std::string& database() const { return directory_.path(); }
  std::string journal() const { return database() + "/" + Journal::kName; }

 private:
  test::TempDirectory directory_;
};

TEST_F(RightOfWayTest, others_wait_until_it_is_over) {
  write_file(journal(), "");
  give_way(database());
  std::optional<RightOfWay> first(std::in_place, database());
  std::atomic<bool> over{false};
  const std::future<void> other = std::async(std::launch::async, [&] {
    give_way(database());
    EXPECT_TRUE(over);
  });
  test::await_waiter(other);
  over = true;
  first.reset();
}

TEST_F(RightOfWayTest, one_that_cannot_be_had_holds_nobody_up) {
  // Where there is no journal none is made; a second one goes on without.
  {
    const RightOfWay none(database());
    give_way(database());
    EXPECT_FALSE(exists(journal()));
  }
  write_file(journal(), "");
  const RightOfWay first(database());
  const RightOfWay second(database());
  const RightOfWay nowhere(database() + "/missing");
}

TEST_F(RightOfWayTest, a_merge_gives_way_between_reads) {
  write_file(journal(), "");
  const std::string table = database() + "/000001.sst";
  write_file(table, "x");
  std::optional<RightOfWay> first(std::in_place, database());
  std::atomic<bool> over{false};
  const std::future<void> merge = std::async(std::launch::async, [&] {
    std::unique_ptr<rocksdb::FSRandomAccessFile> file;
    ASSERT_TRUE(paced(rocksdb::FileSystem::Default())->NewRandomAccessFile(table, {}, &file, nullptr).ok());
    char byte = 0;
    rocksdb::Slice read;
    ASSERT_TRUE(file->Read(0, 1, {}, &read, &byte, nullptr).ok());
    EXPECT_TRUE(over);
  });
  test::await_waiter(merge);
  over = true;
  first.reset();
}

TEST_F(RightOfWayTest, a_flush_has_it_and_gives_it_up) {
  // Large enough to be caught at it.
  const std::string path = database() + "/db";
  Database::open(path, true).close();
  std::atomic<bool> done{false};
  std::atomic<bool> seen{false};
  std::thread watcher([&] {
    while (!done) seen = seen || test::is_listed_as_locked(path + "/" + Journal::kName);
  });
  {
    Database db = Database::open(path, false);
    for (int i = 0; i < 8; ++i) {
      Transaction t = db.begin();
      t.put(Family::kvs, std::to_string(i), std::string(kChunkBytes, static_cast<char>('a' + i)));
      t.commit();
    }
    EXPECT_FALSE(seen);
    db.close();
  }
  done = true;
  watcher.join();
  EXPECT_TRUE(seen);
  EXPECT_FALSE(test::is_listed_as_locked(path + "/" + Journal::kName));
}

TEST_F(RightOfWayTest, who_is_about_to_flush_has_it_from_the_start) {
  // With logs that are almost as long as they may be, and not before.
  const std::string path = database() + "/db";
  const auto write = [&](std::size_t bytes) {
    Database db = Database::open(path, false);
    const bool first = test::is_listed_as_locked(path + "/" + Journal::kName);
    Transaction t = db.begin();
    t.put(Family::kvs, "key", std::string(bytes, 'x'));
    t.commit();
    db.close();
    return first;
  };
  Database::open(path, true).close();
  EXPECT_FALSE(write(200'000));
  EXPECT_FALSE(write(50'000));
  EXPECT_TRUE(write(20'000));  // and flushes
  EXPECT_FALSE(write(1));
  EXPECT_FALSE(test::is_listed_as_locked(path + "/" + Journal::kName));
}

}  // namespace
}  // namespace fq::store::rocks
