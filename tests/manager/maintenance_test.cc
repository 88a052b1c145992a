// Files that pile up in the store are merged by whom nobody waits for.

#include "manager/maintenance.h"

#include "manager/change.h"
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

TEST(Maintenance, writers_call_for_it_and_it_merges) {
  // Without job shells: who has added a file to too many starts a process, who has not does not; after it there
  // are few.
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

TEST(Maintenance, gives_way_to_a_writer) {
  // It never waits for the lock, and so is never waited for by who holds it.
  Scenario store;
  for (int i = 0; i < kMaxLevel0Files; ++i) commit_much(store);
  transact(store.session, [&](Change&) { maintain(store.session); });
  EXPECT_GE(transact(store.session, [](Change&) {}).level0_files, kMaxLevel0Files);
  transact(store.session, [](Change& change) { change.transaction().erase(store::Family::kvs, "filler"); });
}

}  // namespace
}  // namespace fq::manager
