#include "store/rocks/database.h"

#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/unique_fd.h"
#include "store/rocks/snapshot.h"
#include "store/store_lock.h"
#include "support/error_text.h"
#include "support/temp_directory.h"

namespace fq::store::rocks {
namespace {

// Where the writer process says what is committed.
constexpr int kAcknowledgeFd = 9;

class DatabaseTest : public testing::Test {
 protected:
  std::string store() const { return directory_.path(); }
  std::string path() const { return database_path(store()); }
  Database create() { return Database::open(path(), true); }

  static std::string contents(const Reader& reader, Family family) {
    std::string out;
    for (const auto at = reader.scan(family, "", ""); at->valid(); at->next()) {
      if (at->key() == "transaction") continue;
      out.append(at->key()).append("=").append(at->value()).append(" ");
    }
    return out;
  }
  std::string read(Family family) const {
    std::string out;
    static_cast<void>(read_snapshot(store(), 1, [&](const Reader& r) { out = contents(r, family); }));
    return out;
  }
  // A process that commits so often, and tells it on `acknowledge`.
  pid_t start_writer(int commits, int acknowledge) const {
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::dup2(acknowledge, kAcknowledgeFd);
    ::setenv("FQ_TEST_WRITER_STORE", store().c_str(), 1);
    ::setenv("FQ_TEST_WRITER_COMMITS", std::to_string(commits).c_str(), 1);
    ::unsetenv("GTEST_TOTAL_SHARDS");
    ::execl("/proc/self/exe", "writer", "--gtest_also_run_disabled_tests",
            "--gtest_filter=DatabaseTest.DISABLED_writer_process", "--gtest_brief=1", nullptr);
    ::_exit(127);
  }

 private:
  test::TempDirectory directory_;
};

TEST_F(DatabaseTest, a_commit_is_seen_whole_by_the_next_opener) {
  // All four families change together, and appends add to the value.
  {
    Database db = create();
    Transaction t = db.begin();
    t.put(Family::kvs, "k", "a");
    t.put(Family::jobs, "j", "1");
    t.put(Family::index, "i", "");
    t.commit();
    t.append(Family::kvs, "k", "b");
    t.append(Family::kvs, "new", "c");
    t.commit();
    db.close();
  }
  EXPECT_EQ(read(Family::kvs), "k=ab new=c ");
  EXPECT_EQ(read(Family::jobs) + read(Family::index), "j=1 i= ");
}

TEST_F(DatabaseTest, a_transaction_reads_its_own_writes) {
  // Gets and scans show what was put, appended and erased, before the commit.
  Database db = create();
  Transaction t = db.begin();
  t.put(Family::index, "b", "2");
  t.put(Family::index, "a", "1");
  t.commit();
  t.erase(Family::index, "a");
  t.put(Family::index, "c", "3");
  EXPECT_EQ(contents(t, Family::index), "b=2 c=3 ");
  EXPECT_EQ(t.get(Family::index, "a"), std::nullopt);
  t.append(Family::kvs, "log", "x");
  t.append(Family::kvs, "log", "y");
  EXPECT_EQ(t.get(Family::kvs, "log"), "xy");
}

TEST_F(DatabaseTest, what_is_not_committed_never_happened) {
  // A dropped transaction leaves nothing, and the number does not move.
  {
    Database db = create();
    Transaction t = db.begin();
    t.put(Family::jobs, "kept", "");
    t.commit();
    EXPECT_EQ(db.transaction_number(), 1U);
    Transaction dropped = db.begin();
    dropped.put(Family::jobs, "lost", "");
  }
  EXPECT_EQ(read(Family::jobs), "kept= ");
}

TEST_F(DatabaseTest, scans_keep_to_their_range) {
  // prefix_end is the first key after all keys with the prefix, also where bytes are 0xFF.
  Database db = create();
  Transaction t = db.begin();
  for (const char* key : {"a", "p", "p1", "p\xFF", "p\xFFz", "q"}) t.put(Family::index, key, "");
  std::string seen;
  for (const auto at = t.scan_prefix(Family::index, "p"); at->valid(); at->next()) {
    seen.append(at->key()).append(" ");
  }
  EXPECT_EQ(seen, "p p1 p\xFF p\xFFz ");
  EXPECT_EQ(prefix_end("p\xFF"), "q");
  EXPECT_EQ(prefix_end("\xFF\xFF"), "");
}

TEST_F(DatabaseTest, the_last_keys_come_from_the_end) {
  // Of the prefix only, committed ones and those of the transaction in one order, without those erased.
  Database db = create();
  Transaction t = db.begin();
  const auto last = [](const Reader& reader, std::string_view prefix, std::size_t most) {
    std::string seen;
    for (const std::string& key : reader.last_keys(Family::index, prefix, most)) seen += key + " ";
    return seen;
  };
  EXPECT_EQ(last(t, "p", 3), "");
  for (const char* key : {"a", "p", "p1", "p3", "q", "q0"}) t.put(Family::index, key, "");
  t.commit();
  t.put(Family::index, "p2", "");
  t.put(Family::index, "p\xFF", "");
  t.erase(Family::index, "p1");
  EXPECT_EQ(last(t, "p", 10), "p\xFF p3 p2 p ");
  EXPECT_EQ(last(t, "p", 2), "p\xFF p3 ");
  EXPECT_EQ(last(t, "p", 0), "");
  EXPECT_EQ(last(t, "", 2), "q0 q ");
  EXPECT_EQ(last(t, "z", 2), "");
  t.commit();
  db.close();
  static_cast<void>(read_snapshot(
      store(), 10, [&](const Reader& reader) { EXPECT_EQ(last(reader, "p", 3), "p\xFF p3 p2 "); }));
}

TEST_F(DatabaseTest, a_missing_database_is_said_to_be_missing) {
  // Neither a writer nor a reader makes one by looking for it.
  const std::string message = "there is no database in '" + path() + "'";
  EXPECT_EQ(error_text([&] { return Database::open(path(), false); }), message);
  EXPECT_EQ(error_text([&] { read(Family::kvs); }), message);
  EXPECT_FALSE(exists(path()));
}

TEST_F(DatabaseTest, logs_are_flushed_before_they_cost_the_next_opener) {
  // After a commit of 1 MiB, and after many small ones, what must be replayed stays small.
  {
    Database db = create();
    Transaction t = db.begin();
    t.put(Family::kvs, "big", std::string(1 << 20, 'x'));
    t.commit();
    db.close();
  }
  int most = 0;
  for (int i = 0; i < 220; ++i) {
    Database db = Database::open(path(), false);
    EXPECT_LE(db.log_size().bytes, 256U << 10U);
    most = std::max(most, db.log_size().logs);
    Transaction t = db.begin();
    t.put(Family::kvs, "small", "x");
    t.commit();
    db.close();
  }
  EXPECT_EQ(most, 99);
}

// The writer of the next test, in a process of its own: the engine's threads do not survive a fork.
TEST_F(DatabaseTest, forty_megabytes_leave_little_to_the_next_opener) {
  // In chunks, as bulk work commits: no log to replay is left, and level 0 stays short without more work.
  {
    Database db = create();
    for (int chunk = 0; chunk < 20; ++chunk) {
      Transaction t = db.begin();
      for (int i = 0; i < 500; ++i) {
        t.put(Family::kvs, fmt::format("{:06}", chunk * 500 + i),
              std::string(4096, static_cast<char>('a' + i % 26)));
        t.put(Family::jobs, fmt::format("{:06}", chunk * 500 + i), "record");
      }
      t.commit();
      db.merge_level0_meanwhile();
    }
    db.close();
  }
  Database db = Database::open(path(), false);
  EXPECT_LT(db.log_size().bytes, 256U << 10U);
  EXPECT_LE(db.level0_files(), 24);
  EXPECT_EQ(db.begin().get(Family::kvs, "009999").value_or("").size(), 4096U);
}

TEST_F(DatabaseTest, DISABLED_writer_process) {
  const std::string in = std::getenv("FQ_TEST_WRITER_STORE");
  const int commits = std::atoi(std::getenv("FQ_TEST_WRITER_COMMITS"));
  for (int i = 1; i <= commits; ++i) {
    const auto lock = StoreLock::acquire(in, 10, "test");
    Database db = Database::open(database_path(in), i == 1);
    Transaction t = db.begin();
    t.put(Family::jobs, "n", std::to_string(i));
    t.put(Family::index, "n", std::to_string(i));
    t.append(Family::kvs, "log", i % 40 == 0 ? std::string(300'000, 'x') : "x");
    t.commit();
    db.close();
    const auto byte = static_cast<unsigned char>(i);
    ASSERT_EQ(::write(kAcknowledgeFd, &byte, 1), 1);
  }
}

TEST_F(DatabaseTest, readers_beside_a_writer_see_only_whole_and_current_states) {
  // A child commits pairs that must be equal; every read sees equal ones, and none older than acknowledged.
  int acknowledged[2];
  ASSERT_EQ(::pipe(acknowledged), 0);
  const pid_t child = start_writer(150, acknowledged[1]);
  ::close(acknowledged[1]);
  unsigned char first = 0;
  ASSERT_EQ(::read(acknowledged[0], &first, 1), 1);
  ::fcntl(acknowledged[0], F_SETFL, O_NONBLOCK);
  int floor = first, reads = 0, status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    unsigned char byte = 0;
    while (::read(acknowledged[0], &byte, 1) == 1) floor = byte;
    std::string jobs, index;
    static_cast<void>(read_snapshot(store(), 10, [&](const Reader& r) {
      jobs = r.get(Family::jobs, "n").value_or("0");
      index = r.get(Family::index, "n").value_or("0");
    }));
    ASSERT_EQ(jobs, index);
    ASSERT_GE(std::stoi(jobs), floor);
    ++reads;
  }
  EXPECT_EQ(status, 0);
  EXPECT_GT(reads, 10);
  ::close(acknowledged[0]);
}

TEST_F(DatabaseTest, a_query_that_takes_its_time_holds_no_writer_up) {
  // Each try is overtaken by a writer; the last one, too, reads one state to its end, of which no table is
  // left by its name then.
  {
    Database db = create();
    Transaction t = db.begin();
    t.put(Family::kvs, "big", std::string(1 << 20, 'x'));
    t.commit();
    db.close();
  }
  const UniqueFd null{::open("/dev/null", O_WRONLY)};
  const auto size = [](const Reader& r, std::string_view key) {
    return r.get(Family::kvs, key).value_or("").size();
  };
  std::size_t before = 0, after = 0, big = 0;
  int tries = 0;
  const SnapshotStatistics statistics = read_snapshot(store(), 10, [&](const Reader& r) {
    before = size(r, "log");
    int status = 0;
    const pid_t writer = start_writer(45, null.get());
    ASSERT_EQ(::waitpid(writer, &status, 0), writer);
    ASSERT_EQ(status, 0);
    if (++tries == 6) {
      for (const std::string& name : names_in(path()).value_or(std::vector<std::string>{})) {
        if (name.ends_with(".sst")) std::filesystem::remove(path() + "/" + name);
      }
    }
    after = size(r, "log");
    big = size(r, "big");
  });
  EXPECT_TRUE(statistics.locked);
  EXPECT_EQ(statistics.tries, 6);
  EXPECT_EQ(before, 5U * (300'000U + 44U));
  EXPECT_EQ(after, before);
  EXPECT_EQ(big, std::size_t{1} << 20);
}

TEST_F(DatabaseTest, a_lock_that_stays_taken_names_its_holder) {
  // The message has the holder's pid and command; a free lock is taken at once.
  const auto held = StoreLock::acquire(store(), 1, "fq-submit");
  EXPECT_EQ(
      error_text([&] { return StoreLock::acquire(store(), 0.05, "other"); }),
      fmt::format("the store '{}' stayed locked for 0.05 s by pid {} (fq-submit)", store(), ::getpid()));
}

TEST_F(DatabaseTest, a_snapshot_stays_what_it_was) {
  // Whatever others write, merge and throw away while it is kept.
  {
    Database db = create();
    Transaction t = db.begin();
    t.put(Family::jobs, "j", "1");
    t.commit_to_tables();
    t.put(Family::jobs, "k", "1");
    t.commit();
  }
  const auto snapshot = open_snapshot(store(), 1);
  {
    Database db = create();
    Transaction t = db.begin();
    t.put(Family::jobs, "j", "2");
    t.erase(Family::jobs, "k");
    t.commit_to_tables();
  }
  std::filesystem::remove_all(path());
  EXPECT_EQ(contents(*snapshot, Family::jobs), "j=1 k=1 ");
}

}  // namespace
}  // namespace fq::store::rocks
