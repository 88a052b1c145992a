// Files that pile up in the store are merged by whom nobody waits for.

#include "manager/engine/maintenance.h"

#include <atomic>
#include <future>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/file.h"
#include "base/file_lock.h"
#include "manager/core/change.h"
#include "store/store_lock.h"
#include "support/kernel_locks.h"
#include "support/scenario.h"

namespace fq::manager {
namespace {

using test::Scenario;

/// Commits so much that the logs are flushed into one more level-0 file.
StoreCondition commit_much(Scenario& store) {
  return transact(store.session, [](Change& change) {
    change.transaction().put(store::Family::kvs, "filler", std::string(300'000, 'x'));
  });
}

// Writes into the lock again and again, as those do who take it.
class LockTaker {
 public:
  explicit LockTaker(const Scenario& store)
      : thread_([this, path = store::lock_path(store.session.store)] {
          while (!done_) write_file(path, "1");
        }) {}
  ~LockTaker() {
    done_ = true;
    thread_.join();
  }
  LockTaker(const LockTaker&) = delete;
  LockTaker& operator=(const LockTaker&) = delete;

 private:
  std::atomic<bool> done_{false};
  std::thread thread_;
};

TEST(Maintenance, writers_call_for_it_and_it_merges) {
  // Without job shells: who has added a file to too many starts a process, who has not does not; after it
  // there are few.
  Scenario store;
  StoreCondition condition;
  for (int i = 0; store.launcher.compactions == 0 && i < 4 * kMaxLevel0Files; ++i) {
    condition = commit_much(store);
  }
  EXPECT_EQ(condition.level0_files, kMaxLevel0Files);
  EXPECT_EQ(store.launcher.compactions, 1U);
  EXPECT_EQ(transact(store.session, [](Change&) {}).flushed_bytes, 0U);
  EXPECT_EQ(store.launcher.compactions, 1U);
  maintain(store.session);
  EXPECT_LT(commit_much(store).level0_files, kMaxLevel0Files);
  EXPECT_EQ(store.launcher.compactions, 1U);
  // The filler is no part of a store.
  transact(store.session, [](Change& change) { change.transaction().erase(store::Family::kvs, "filler"); });
}

TEST(Maintenance, bulk_work_calls_for_it) {
  // However few files it leaves: what it deleted must not stay.
  Scenario store;
  transact(store.session, [](Change& change) {
    change.transaction().put(store::Family::kvs, "filler", std::string(3U << 20U, 'x'));
  });
  EXPECT_EQ(store.launcher.compactions, 0U);
  transact(store.session, [](Change& change) {
    change.transaction().put(store::Family::kvs, "filler", std::string(5U << 20U, 'x'));
  });
  EXPECT_EQ(store.launcher.compactions, 1U);
  transact(store.session, [](Change& change) { change.transaction().erase(store::Family::kvs, "filler"); });
}

TEST(Maintenance, who_does_it_later_calls_nobody) {
  // A shell compacts after its own work, if that is due.
  Scenario store;
  store.session.compacts = true;
  StoreCondition condition;
  for (int i = 0; i < 2 * kMaxLevel0Files; ++i) condition = commit_much(store);
  EXPECT_EQ(store.launcher.compactions, 0U);
  maintain(store.session, {kMaxLevel0Files - 1});
  EXPECT_GE(transact(store.session, [](Change&) {}).level0_files, 2 * kMaxLevel0Files);
  maintain(store.session, condition);
  EXPECT_LT(transact(store.session, [](Change&) {}).level0_files, kMaxLevel0Files);
  transact(store.session, [](Change& change) { change.transaction().erase(store::Family::kvs, "filler"); });
}

TEST(Maintenance, waits_for_the_lock) {
  // Beside writers in a loop it would find it free once in a while only.
  Scenario store;
  for (int i = 0; i < kMaxLevel0Files; ++i) commit_much(store);
  std::future<void> maintaining;
  transact(store.session, [&](Change& change) {
    change.transaction().erase(store::Family::kvs, "filler");
    maintaining = std::async(std::launch::async, [&] { maintain(store.session); });
    test::await_waiter(maintaining);
  });
  maintaining.get();
  EXPECT_LT(transact(store.session, [](Change&) {}).level0_files, kMaxLevel0Files);
}

TEST(Maintenance, is_left_to_who_is_at_it) {
  // A second merger goes away and leaves what the first has made so far.
  Scenario store;
  for (int i = 0; i < kMaxLevel0Files; ++i) commit_much(store);
  const std::string scratch = store.session.store + "/merge";
  make_directory(scratch);
  auto merger = FileLock::try_acquire(scratch + "/lock", LockMode::exclusive);
  ASSERT_TRUE(merger.has_value());
  make_directory(scratch + "/files");
  write_file(scratch + "/files/000099.sst", "half of it");
  maintain(store.session);
  EXPECT_EQ(read_file(scratch + "/files/000099.sst"), "half of it");
  EXPECT_GE(transact(store.session, [](Change&) {}).level0_files, kMaxLevel0Files);
  merger->unlock();
  maintain(store.session);
  EXPECT_LT(transact(store.session, [](Change&) {}).level0_files, kMaxLevel0Files);
  transact(store.session, [](Change& change) { change.transaction().erase(store::Family::kvs, "filler"); });
}

TEST(Maintenance, clears_what_a_dead_merger_left) {
  // Also where there is nothing more to merge.
  Scenario store;
  const std::string files = store.session.store + "/merge/files";
  make_directory(store.session.store + "/merge");
  make_directory(files);
  write_file(files + "/000099.sst", "half of it");
  maintain(store.session);
  EXPECT_TRUE(names_in(files).value().empty());
}

TEST(Maintenance, frees_what_was_put_aside) {
  // What a flush leaves is out of the way at once, and freed by who is not waited for; so in a store that was
  // made before there was a trash.
  Scenario store;
  const std::string trash = store.session.files().trash_dir();
  remove_tree(trash);
  maintain(store.session);
  commit_much(store);
  EXPECT_FALSE(names_in(trash).value().empty());
  maintain(store.session, {});
  EXPECT_TRUE(names_in(trash).value().empty());
  transact(store.session, [](Change& change) { change.transaction().erase(store::Family::kvs, "filler"); });
}

TEST(Maintenance, lets_who_left_the_work_go_on_first) {
  Scenario store;
  for (int i = 0; i < kMaxLevel0Files; ++i) commit_much(store);
  const SystemClock clock;
  const double start = clock.boot_time();
  maintain(store.session);
  EXPECT_GE(clock.boot_time() - start, 0.03);
  EXPECT_LT(commit_much(store).level0_files, kMaxLevel0Files);
  transact(store.session, [](Change& change) { change.transaction().erase(store::Family::kvs, "filler"); });
}

TEST(Maintenance, does_not_wait_for_ever_until_nobody_commits) {
  Scenario store;
  for (int i = 0; i < kMaxLevel0Files; ++i) commit_much(store);
  {
    const LockTaker others(store);
    maintain(store.session);
  }
  EXPECT_LT(commit_much(store).level0_files, kMaxLevel0Files);
  transact(store.session, [](Change& change) { change.transaction().erase(store::Family::kvs, "filler"); });
}

// How long it takes to free so many files, in seconds.
double time_to_free(const Scenario& store, int files) {
  const std::string trash = store.session.files().trash_dir();
  for (int i = 0; i < files; ++i) write_file(fmt::format("{}/{}", trash, i), "");
  const SystemClock clock;
  const double start = clock.boot_time();
  maintain(store.session, {});
  EXPECT_TRUE(names_in(trash).value().empty());
  return clock.boot_time() - start;
}

TEST(Maintenance, frees_slowly_while_others_commit) {
  Scenario store;
  const LockTaker others(store);
  EXPECT_GE(time_to_free(store, 60), 59 * 0.016);
}

}  // namespace
}  // namespace fq::manager
