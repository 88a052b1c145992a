// What is read of a damaged database, and what a repair makes of it.

#include "store/rocks/salvage.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include "base/error.h"
#include "base/file.h"
#include "store/rocks/damage.h"
#include "store/rocks/damage_fixture.h"

namespace fq::store::rocks {
namespace {

class SalvageTest : public DamageTest {};

TEST_F(SalvageTest, what_can_be_read_is_kept_by_a_repair) {
  // Of the journal all but the frame itself; all tables where only their list is damaged. Reading what is
  // damaged gives the same before. What was there stays, aside.
  for (int i = 0; i < 3; ++i) commit(1, true);
  commit(10);
  const auto whole = contents();
  std::size_t sixth = 0;
  const std::string journal = whole.at("journal");
  for (int frame = 0; frame < 6; sixth += 512) frame += journal.substr(sixth, 4) == "fqJ1" ? 1 : 0;
  const std::string table = [&] {
    for (const auto& [name, bytes] : whole) {
      if (name.ends_with(".sst")) return name;
    }
    return std::string{};
  }();
  const std::vector<std::pair<std::function<void()>, int>> harms{
      {[&] { flip("journal", sixth - 512 + 40); }, 12},
      {[&] { std::filesystem::remove(file("journal")); }, 3},
      {[&] { std::filesystem::resize_file(file(manifest()), 100); }, 13},
      {[&] { std::filesystem::remove(file(manifest())); }, 13},
      {[&] { std::filesystem::remove(file("CURRENT")); }, 13},
      {[&] { flip(table, 20); }, 12},
      {[&] { std::filesystem::remove(file(table)); }, 12},
  };
  for (std::size_t i = 0; i < harms.size(); ++i) {
    harms[i].first();
    const auto harmed = contents();
    const int read = readable();
    EXPECT_GE(read, harms[i].second) << i;
    EXPECT_EQ(contents(), harmed) << i;
    const auto done = repair().done;
    EXPECT_EQ(found(), read) << i;
    EXPECT_TRUE(find_damage(directory_.path()).empty()) << i;
    const std::string aside = directory_.path() + (i == 0 ? "/damaged" : fmt::format("/damaged.{}", i + 1));
    ASSERT_FALSE(done.empty());
    EXPECT_EQ(done.back(), fmt::format("the damaged database is kept in '{}'", aside));
    for (const auto& [name, bytes] : harmed) EXPECT_EQ(read_file(aside + "/" + name), bytes) << name;
    commit(1);
    EXPECT_EQ(found(), read + 1);
    remove_tree(path());
    make_directory(path());
    restore(whole);
  }
  EXPECT_FALSE(repair().replaced);
  EXPECT_EQ(names_in(directory_.path())->size(), harms.size() + 1);
}

TEST_F(SalvageTest, what_the_journal_and_other_tables_have_outlives_a_table_that_cannot_be_read) {
  // A scan of all of them ends at its block, from either side.
  commit(5);
  commit(1, true);  // 000 to 005 in one table
  commit(5);        // 006 to 010 in the journal
  const auto whole = contents();
  int fewest = 11;
  for (const auto& [name, bytes] : whole) {
    if (!name.ends_with(".sst")) continue;
    flip(name, 20);
    EXPECT_TRUE(repair().replaced);
    fewest = std::min(fewest, found());
    remove_tree(path());
    make_directory(path());
    restore(whole);
  }
  EXPECT_EQ(fewest, 5);
}

TEST_F(SalvageTest, a_bit_of_the_journal_costs_one_change) {
  // In the head of each frame, its place and its epoch too; and where one process has written more than a
  // block of its log.
  const auto flip_each = [&](std::size_t step, const std::vector<std::size_t>& bytes) {
    const auto whole = contents();
    const int all = found();
    const std::string& journal = whole.at("journal");
    std::size_t frames = 0;
    for (std::size_t at = 0; at < journal.size(); at += 512) {
      if (journal.substr(at, 4) != "fqJ1" || frames++ % step != 0) continue;
      for (const std::size_t byte : bytes) {
        flip("journal", at + byte);
        EXPECT_GE(readable(), all - 1) << at << " " << byte;
        restore(whole);
      }
    }
  };
  commit(6);
  flip_each(1, {0, 5, 9, 17, 25, 29, 60});
  Database database = Database::open(path(), false);
  Transaction transaction = database.begin();
  for (int i = 0; i < 80; ++i) {
    transaction.put(Family::jobs, fmt::format("{:03}", keys_++), std::string(1000, 'x'));
    transaction.commit();
  }
  database.close();
  flip_each(30, {0, 5, 9, 17, 25});
}

TEST_F(SalvageTest, a_repair_that_is_refused_changes_nothing) {
  // By who is asked before the databases change places, or because their names cannot change: the old one is
  // where it was, and nothing is left beside it.
  commit(3);
  flip("journal", 40);
  const auto harmed = contents();
  const auto names = names_in(directory_.path());
  EXPECT_EQ(error_text([&] {
              return repair_database(directory_.path(),
                                     [](Transaction&, const std::string&) {
                                       throw Error{Kind::unavailable, "not this one"};
                                     })
                  .replaced;
            }),
            "not this one");
  EXPECT_EQ(contents(), harmed);
  EXPECT_EQ(names_in(directory_.path()), names);
  // A file of the place in which the old one is kept.
  EXPECT_EQ(error_text([&] {
              return repair_database(
                         directory_.path(),
                         [&](Transaction&, const std::string&) { std::filesystem::remove_all(path()); })
                  .replaced;
            }),
            fmt::format("cannot replace '{}': No such file or directory", path()));
  EXPECT_EQ(names_in(directory_.path()), std::vector<std::string>{});
}

TEST_F(SalvageTest, what_is_told_of_what_a_repair_may_have_lost) {
  // Of a table of jobs alone, nothing that is kept beside them.
  for (const char* key : {"a", "b", "c"}) {
    Database database = Database::open(path(), false);
    Transaction transaction = database.begin();
    transaction.put(Family::jobs, key, "");
    transaction.put(Family::instance, key, "");
    transaction.commit_to_tables();
    database.close();
  }
  const auto whole = contents();
  std::set<bool> lost;
  for (const auto& [name, bytes] : whole) {
    if (!name.ends_with(".sst")) continue;
    flip(name, 20);
    const Mended mended = repair();
    EXPECT_TRUE(mended.replaced);
    EXPECT_EQ(mended.records_lost, mended.done.front() != "some jobs could not be read");
    lost.insert(mended.records_lost);
    remove_tree(path());
    make_directory(path());
    restore(whole);
  }
  EXPECT_EQ(lost.size(), 2U);
  commit(1);
  flip("journal", 40);
  EXPECT_TRUE(repair().records_lost);
}

TEST_F(SalvageTest, what_a_killed_process_left_is_cleared_by_the_next) {
  // Of reading and of repairing; what another holds, and what is not its own, stays.
  commit(3);
  flip("journal", 40);
  const std::string parent = directory_.path() + "/tmp";
  make_directory(parent);
  ::setenv("TMPDIR", parent.c_str(), 1);
  const auto leave = [](const std::string& name) {
    make_directory(name);
    write_file(name + "/file", "x");
  };
  leave(parent + "/fq-damaged-killed");
  leave(parent + "/fq-damaged-at-it");
  leave(parent + "/other");
  leave(directory_.path() + "/fq-damaged-killed");
  const auto held = open_file(parent + "/fq-damaged-at-it", O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(held.get(), LOCK_EX), 0);
  EXPECT_EQ(readable(), 2);
  auto names = *names_in(parent);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"fq-damaged-at-it", "other"}));
  EXPECT_TRUE(repair().replaced);
  EXPECT_FALSE(exists(directory_.path() + "/fq-damaged-killed"));
  ::unsetenv("TMPDIR");
}

}  // namespace
}  // namespace fq::store::rocks
