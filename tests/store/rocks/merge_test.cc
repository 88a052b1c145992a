#include "store/rocks/merge.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "store/rocks/merge_fixture.h"
#include "support/error_text.h"

namespace fq::store::rocks {
namespace {

class MergeTest : public MergeFixture {
 protected:
  /// Opens, commits, and leaves a level-0 file behind: what it writes is more than a log may have.
  void commit_much(int number) {
    Database db = Database::open(path(), false);
    Transaction t = db.begin();
    t.put(Family::kvs, fmt::format("filling{}", number), std::string(300'000, 'x'));
    t.append(Family::kvs, "log", fmt::format("{} ", number));
    t.erase(Family::kvs, fmt::format("filling{}", number - 2));
    t.commit();
    db.close();
  }
  void commit_much(int from, int to) {
    for (int number = from; number <= to; ++number) commit_much(number);
  }

  /// Keys with the sizes of their values, and the log.
  std::string contents() const {
    Database db = Database::open(path(), false);
    const Transaction t = db.begin();
    std::string out;
    for (const auto at = t.scan(Family::kvs, "", ""); at->valid(); at->next())
      out += fmt::format("{}={} ", at->key(), at->value().size());
    return out + t.get(Family::kvs, "log").value_or("");
  }
  /// `family:files ` of each.
  static std::string files(const MergePlan& plan) {
    std::string out;
    for (const FamilyMerge& merge : plan)
      out += fmt::format("{}:{} ", merge.family, merge.choice.files.size());
    return out;
  }
  int level0() const { return Database::open(path(), false).level0_files(); }
};

TEST_F(MergeTest, happens_beside_commits) {
  // Files that come after the plan stay; what they say of merged keys still counts.
  commit_much(1, 4);
  const auto plan = plan_merge(path(), 4);
  ASSERT_TRUE(plan);
  commit_much(5);
  const MergeResult result = do_merge(path(), *plan, scratch());
  commit_much(6);
  const std::string before = contents();
  const auto next = install_merge(path(), *plan, result, 2);
  ASSERT_TRUE(next);
  EXPECT_EQ(files(*plan), "0:4 3:4 ");  // of the documents, and of the number of the transaction
  EXPECT_EQ(files(*next), "0:2 3:2 ");
  EXPECT_EQ(contents(), before);
  EXPECT_EQ(contents(), "filling5=300000 filling6=300000 log=12 1 2 3 4 5 6 ");
}

TEST_F(MergeTest, has_nothing_to_do_with_few_files) {
  commit_much(1, 3);
  EXPECT_FALSE(plan_merge(path(), 4));
}

TEST_F(MergeTest, few_files_with_many_deletions_are_merged) {
  // Every scan would pass them until then.
  const auto commit = [&](bool erase, int from, int to) {
    Database db = Database::open(path(), false);
    Transaction t = db.begin();
    for (int i = from; i < to; ++i) {
      if (erase)
        t.erase(Family::index, fmt::format("{:05}", i));
      else
        t.put(Family::index, fmt::format("{:05}", i), std::string(300, 'x'));
    }
    t.commit_to_tables();
  };
  commit(false, 0, 2000);
  EXPECT_FALSE(plan_merge(path(), 4));
  commit(true, 0, 999);
  EXPECT_FALSE(plan_merge(path(), 4));
  commit(true, 999, 1001);
  const auto plan = plan_merge(path(), 4);
  ASSERT_TRUE(plan);
  EXPECT_EQ(files(*plan), "2:3 ");
  EXPECT_FALSE(install_merge(path(), *plan, do_merge(path(), *plan, scratch()), 4));
}

TEST_F(MergeTest, is_refused_where_the_files_are_not_the_planned_ones) {
  // Another merge came first: what that left stays.
  commit_much(1, 4);
  const auto plan = plan_merge(path(), 4);
  ASSERT_TRUE(plan);
  const MergeResult result = do_merge(path(), *plan, scratch());
  const std::string other = scratch() + "-other";
  make_directory(other);
  EXPECT_FALSE(install_merge(path(), *plan, do_merge(path(), *plan, other), 4));
  commit_much(5);
  const std::string before = contents();
  EXPECT_THROW(static_cast<void>(install_merge(path(), *plan, result, 4)), Error);
  EXPECT_EQ(contents(), before);
  EXPECT_THROW(static_cast<void>(do_merge(path(), *plan, scratch())), Error);
}

TEST_F(MergeTest, of_other_families_is_installed_where_one_is_refused) {
  commit_much(1, 4);
  const auto plan = plan_merge(path(), 4);
  ASSERT_TRUE(plan);
  MergeResult result = do_merge(path(), *plan, scratch());
  result.at(0) = "not what was merged";
  const std::string before = contents();
  EXPECT_THROW(static_cast<void>(install_merge(path(), *plan, result, 4)), Error);
  EXPECT_EQ(files(plan_merge(path(), 4).value()), "0:4 ");
  EXPECT_EQ(contents(), before);
}

TEST_F(MergeTest, is_refused_where_more_would_be_replaced_than_was_merged) {
  // All of the planned files are there, and one that came later is named with them.
  commit_much(1, 4);
  const auto plan = plan_merge(path(), 4);
  ASSERT_TRUE(plan);
  const MergeResult result = do_merge(path(), *plan, scratch());
  commit_much(5);
  MergePlan more = plan_merge(path(), 4).value();
  ASSERT_EQ(files(more), "0:5 3:5 ");
  for (std::size_t i = 0; i < more.size(); ++i) more[i].input = plan->at(i).input;
  const std::string before = contents();
  EXPECT_THROW(static_cast<void>(install_merge(path(), more, result, 4)), Error);
  EXPECT_EQ(contents(), before);
}

TEST_F(MergeTest, may_be_done_at_once) {
  commit_much(1, 4);
  const std::string before = contents();
  while (const auto plan = plan_merge(path(), 4)) merge_at_once(path(), *plan);
  EXPECT_EQ(level0(), 0);
  EXPECT_EQ(contents(), before);
}

TEST_F(MergeTest, of_a_merger_that_died_is_done_again) {
  // Its files are of no use: the next one plans anew, in an empty directory.
  commit_much(1, 4);
  static_cast<void>(do_merge(path(), plan_merge(path(), 4).value(), scratch()));
  remove_tree(scratch());
  make_directory(scratch());
  const std::string before = contents();
  auto plan = plan_merge(path(), 4);
  while (plan) plan = install_merge(path(), *plan, do_merge(path(), *plan, scratch()), 4);
  EXPECT_EQ(level0(), 0);
  EXPECT_EQ(contents(), before);
}

}  // namespace
}  // namespace fq::store::rocks
