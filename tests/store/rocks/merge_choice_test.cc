#include "store/rocks/merge_choice.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "store/rocks/merge.h"
#include "store/rocks/merge_fixture.h"

namespace fq::store::rocks {
namespace {

class MergeChoiceTest : public MergeFixture {
 protected:
  /// Leaves a level-0 file of the index with these keys, of `size` bytes each that cannot be compressed.
  void commit(int from, int to, int step, std::size_t size) {
    Database db = Database::open(path(), false);
    Transaction t = db.begin();
    for (int key = from; key < to; key += step) {
      std::string value(size, '\0');
      for (char& c : value) c = static_cast<char>(random_());
      t.put(Family::index, fmt::format("{:06}", key), value);
    }
    t.commit_to_tables();
  }
  void erase(int from, int to) {
    Database db = Database::open(path(), false);
    Transaction t = db.begin();
    for (int key = from; key < to; ++key) t.erase(Family::index, fmt::format("{:06}", key));
    t.commit_to_tables();
  }

  /// Of the index, once it has `at_least` files in level 0.
  MergeChoice choice(int at_least) const {
    const MergePlan plan = plan_merge(path(), at_least).value();
    for (const FamilyMerge& merge : plan) {
      if (merge.family == static_cast<std::size_t>(Family::index)) return merge.choice;
    }
    return {};
  }
  void merge(int at_least) const {
    const MergePlan plan = plan_merge(path(), at_least).value();
    static_cast<void>(install_merge(path(), plan, do_merge(path(), plan, scratch()), at_least));
  }

 private:
  std::mt19937 random_{1};
};

TEST_F(MergeChoiceTest, what_follows_all_others_fills_up_the_last_file) {
  commit(0, 1000, 1, 2000);
  merge(1);
  commit(1000, 1400, 1, 2000);
  EXPECT_EQ(choice(1).level, 1);  // too little to write 2 MB anew for
  merge(1);
  for (int from = 1400; from < 3000; from += 400) commit(from, from + 400, 1, 2000);
  EXPECT_EQ(choice(4).level, 2);
  EXPECT_EQ(choice(4).files.size(), 4U + 1 + 1);  // with what level 1 had, and the last file of level 2
}

TEST_F(MergeChoiceTest, what_comes_before_the_last_file_or_between_does_not_fill_it_up) {
  // All files between would be written anew with it.
  commit(1000, 2000, 1, 2000);
  merge(1);
  commit(0, 1, 1, 2000);
  EXPECT_EQ(choice(1).level, 2);
  EXPECT_EQ(choice(1).files.size(), 1U);
}

TEST_F(MergeChoiceTest, what_takes_long_is_planned_when_there_is_nothing_else) {
  commit(0, 10'000, 1, 2000);
  EXPECT_EQ(choice(1).files.size(), 0U);  // but the number of the transaction
  merge(1);
  EXPECT_EQ(choice(1).files.size(), 1U);
}

TEST_F(MergeChoiceTest, what_comes_all_over_a_large_level_is_gathered_first) {
  // Each time 40 KB over 4 MB: level 1 has some 570 KB when it is least work to write these anew.
  commit(0, 2000, 1, 2000);
  merge(1);
  for (int round = 0; round < 2; ++round) {
    int gathered = 0;
    for (; gathered < 100; ++gathered) {
      commit(gathered, 2000, 100, 2000);
      const MergeChoice next = choice(1);
      EXPECT_EQ(next.files.size(), gathered == 0 ? 1U : 2U);
      merge(1);
      if (next.level == 2) break;
      EXPECT_EQ(next.level, 1);
    }
    EXPECT_GE(gathered, 10);
    EXPECT_LE(gathered, 16);
  }
}

TEST_F(MergeChoiceTest, little_is_not_worth_a_level_of_its_own) {
  commit(0, 100, 1, 2000);
  merge(1);
  commit(0, 100, 50, 10);
  EXPECT_EQ(choice(1).level, 2);
}

TEST_F(MergeChoiceTest, many_deletions_go_to_where_they_end) {
  // Also those that were in level 1 before.
  commit(0, 2000, 1, 2000);
  merge(1);
  erase(0, 900);
  EXPECT_EQ(choice(1).level, 1);
  merge(1);
  erase(900, 1000);
  EXPECT_EQ(choice(1).level, 2);
}

TEST_F(MergeChoiceTest, at_once_nothing_large_is_written_anew) {
  commit(0, 2000, 1, 2000);
  merge(1);
  commit(0, 2000, 1, 2000);
  EXPECT_EQ(choice(1).level, 2);
  merge_at_once(path(), plan_merge(path(), 1).value());
  commit(0, 2000, 1000, 10);
  EXPECT_EQ(choice(1).files.size(), 2U);
  EXPECT_EQ(choice(1).level0_files, 1U);  // and one in level 1
  EXPECT_GT(choice(1).small_bytes, 4'000'000U);
}

}  // namespace
}  // namespace fq::store::rocks
