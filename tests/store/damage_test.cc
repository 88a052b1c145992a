// Files of a database that are not what was written: each answer is right, or a refusal that names the file
// and changes nothing.

#include "store/damage.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include "base/error.h"
#include "base/file.h"
#include "store/acknowledged.h"
#include "store/database.h"
#include "store/salvage.h"
#include "store/snapshot.h"
#include "store/store_lock.h"
#include "support/error_text.h"
#include "support/temp_directory.h"

namespace fq::store {
namespace {

class DamageTest : public testing::Test {
 protected:
  DamageTest() { Database::open(path(), true).close(); }

  [[nodiscard]] std::string path() const { return database_path(directory_.path()); }
  [[nodiscard]] std::string file(const std::string& name) const { return path() + "/" + name; }
  [[nodiscard]] std::string manifest() const {
    const std::string current = read_file(file("CURRENT"));
    return current.substr(0, current.size() - 1);
  }

  /// As many processes, which commit one key each.
  void commit(int count, bool to_tables = false) {
    for (int i = 0; i < count; ++i) {
      Database database = Database::open(path(), false);
      Transaction transaction = database.begin();
      transaction.put(Family::jobs, fmt::format("{:03}", keys_++), std::string(100, 'x'));
      to_tables ? transaction.commit_to_tables() : transaction.commit();
      database.close();
    }
  }
  [[nodiscard]] int found() const {
    int keys = 0;
    static_cast<void>(read_snapshot(directory_.path(), 1, [&](const Reader& reader) {
      keys = 0;
      for (const auto at = reader.scan(Family::jobs, "", ""); at->valid(); at->next()) ++keys;
    }));
    return keys;
  }
  [[nodiscard]] std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> files;
    const auto names = names_in(path());
    for (const std::string& name : *names) {
      if (name != "LOCK") files.emplace(name, read_file(file(name)));
    }
    return files;
  }
  /// What a reader and a writer say, who change nothing.
  [[nodiscard]] std::string refusal() {
    const auto before = contents();
    const std::string reading = error_text([&] { return found(); });
    const std::string writing = error_text([&] {
      commit(1);
      return 0;
    });
    EXPECT_EQ(reading, writing);
    EXPECT_EQ(contents(), before);
    return reading;
  }
  [[nodiscard]] std::string damaged(const std::string& what) const {
    return fmt::format(
        "the store '{}' is damaged: {} (fq fsck --repair mends it; until then --damaged shows what can be "
        "read)",
        directory_.path(), what);
  }
  void flip(const std::string& name, std::size_t at) {
    std::string bytes = read_file(file(name));
    bytes.at(at) = static_cast<char>(bytes.at(at) ^ 4);
    write_file(file(name), bytes);
  }
  [[nodiscard]] Mended repair() const {
    return repair_database(directory_.path(), [](Transaction&, const std::string&) {});
  }
  /// How many keys can be read of what is damaged.
  [[nodiscard]] int readable() const {
    int keys = 0;
    read_damaged(directory_.path(), [&](const Reader& reader, const std::vector<std::string>&) {
      for (const auto at = reader.scan(Family::jobs, "", ""); at->valid(); at->next()) ++keys;
    });
    return keys;
  }
  void restore(const std::map<std::string, std::string>& files) {
    for (const auto& [name, bytes] : files) write_file(file(name), bytes);
  }

  test::TempDirectory directory_;
  int keys_ = 0;
};

TEST_F(DamageTest, a_bit_of_the_journal) {
  // In the head of each frame, and in what it holds: what comes behind it was acknowledged, too.
  commit(10);
  const auto whole = contents();
  const std::string journal = whole.at("journal");
  std::size_t frames = 0;
  for (std::size_t at = 0; at < journal.size(); at += 512) {
    if (journal.substr(at, 4) != "fqJ1") continue;
    ++frames;
    for (const std::size_t byte : {0, 5, 9, 17, 25, 29, 60}) {
      flip("journal", at + byte);
      const std::string text = refusal();
      EXPECT_TRUE(text == damaged("db/journal: 1 acknowledged change is missing") ||
                  text.find(" acknowledged changes are missing") != std::string::npos)
          << at << " " << text;
      restore(whole);
    }
  }
  EXPECT_GE(frames, 10U);
  EXPECT_EQ(found(), 10);
}

TEST_F(DamageTest, a_journal_that_is_missing_or_empty_or_short) {
  commit(10);
  const auto whole = contents();
  std::filesystem::remove(file("journal"));
  EXPECT_EQ(refusal(), damaged("db/journal: it is missing"));
  write_file(file("journal"), "");
  EXPECT_EQ(refusal(), damaged("db/journal: 10 acknowledged changes are missing"));
  write_file(file("journal"), std::string(whole.at("journal").size(), '\0'));
  EXPECT_EQ(refusal(), damaged("db/journal: 10 acknowledged changes are missing"));
  const std::size_t end = whole.at("journal").find_last_not_of('\0');
  write_file(file("journal"), whole.at("journal").substr(0, end));
  EXPECT_EQ(refusal(), damaged("db/journal: 1 acknowledged change is missing"));
  restore(whole);
  commit(1);
  EXPECT_EQ(found(), 11);
}

TEST_F(DamageTest, a_manifest_that_was_cut_or_altered_or_removed) {
  // To the engine most of these are older states, in which tables and all that is in them are not there.
  for (int i = 0; i < 3; ++i) commit(1, true);
  commit(2);
  const auto whole = contents();
  const std::string name = manifest();
  const std::string bytes = whole.at(name);
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    write_file(file(name), bytes.substr(0, size));
    EXPECT_EQ(refusal(),
              damaged(fmt::format("db/{}: it was cut: {} of {} bytes are there", name, size, bytes.size())));
  }
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    restore(whole);
    flip(name, at);
    EXPECT_EQ(refusal(), damaged(fmt::format("db/{}: it is not what was written", name)));
  }
  std::filesystem::remove(file(name));
  EXPECT_EQ(refusal(), damaged(fmt::format("db/{}: it is missing", name)));
  restore(whole);
  EXPECT_EQ(found(), 5);
}

TEST_F(DamageTest, a_manifest_of_a_merge_or_a_flush_is_watched_at_once) {
  // By whoever comes next, before anything else is committed.
  commit(3);
  {
    Database database = Database::open(path(), false);
    Transaction transaction = database.begin();
    transaction.put(Family::kvs, "large", std::string(300'000, 'x'));
    transaction.commit();
    EXPECT_GT(database.close(), 0U);
  }
  const std::string name = manifest();
  const std::size_t size = read_file(file(name)).size();
  std::filesystem::resize_file(file(name), size - 1);
  EXPECT_EQ(refusal(),
            damaged(fmt::format("db/{}: it was cut: {} of {} bytes are there", name, size - 1, size)));
}

TEST_F(DamageTest, the_file_that_names_the_manifest) {
  commit(1, true);
  const std::string name = manifest();
  for (const std::string text :
       {"", "MANIFEST", "MANIFEST-000004", "MANIFEST-4\n", "MANIFEST-00000\n", "manifest-000004\n"}) {
    write_file(file("CURRENT"), text);
    EXPECT_EQ(refusal(), damaged("db/CURRENT: it names no manifest")) << text;
  }
  for (const std::string other : {"MANIFEST-000001", "MANIFEST-900000"}) {
    write_file(file("CURRENT"), other + "\n");
    EXPECT_EQ(refusal(), damaged(fmt::format("db/CURRENT: it names {} in place of {}", other, name)));
  }
  std::filesystem::remove(file("CURRENT"));
  EXPECT_EQ(refusal(), damaged("db/CURRENT: it is missing"));
}

TEST_F(DamageTest, a_table) {
  // One that is not what was written is found where it is read; the whole check reads each.
  commit(1, true);
  EXPECT_TRUE(find_damage(directory_.path()).empty());
  const auto whole = contents();
  int refused = 0;
  for (const auto& [name, bytes] : whole) {
    if (!name.ends_with(".sst")) continue;
    const auto told = [&] {
      const auto damages = find_damage(directory_.path());
      EXPECT_EQ(damages.size(), 1U);
      return damages.empty() ? "" : damages[0].file + ": " + damages[0].what;
    };
    const auto answer = [&] { return error_text([&] { return found(); }); };
    flip(name, 20);
    EXPECT_EQ(told(), fmt::format("db/{}: it is not what was written", name));
    if (answer() != "no error") {
      ++refused;
      EXPECT_EQ(answer(), damaged(fmt::format("db/{}: it is not what was written", name)));
    }
    std::filesystem::remove(file(name));
    EXPECT_EQ(told(), fmt::format("db/{}: it is missing", name));
    EXPECT_EQ(answer(), damaged(fmt::format("db/{}: it is missing", name)));
    restore(whole);
  }
  EXPECT_GE(refused, 1);
  EXPECT_EQ(found(), 1);
}

TEST_F(DamageTest, what_was_acknowledged_may_be_older) {
  // As after a power failure; nor does a process that dies between its commit and the note leave damage.
  commit(2);
  const std::string before = read_file(file("acknowledged"));
  commit(2);
  write_file(file("acknowledged"), before);
  EXPECT_EQ(found(), 4);
  commit(1, true);
  write_file(file("acknowledged"), before);
  EXPECT_EQ(found(), 5);
  commit(1);
  EXPECT_EQ(found(), 6);
  EXPECT_EQ(read_acknowledged(path())->transaction, 6U);
  EXPECT_EQ(read_acknowledged(path())->manifest.bytes, read_file(file(manifest())).size());
}

TEST_F(DamageTest, a_note_that_is_missing_or_altered_contradicts_nothing) {
  // It is written anew. Without it a frame that is not what was written is known by those behind it.
  commit(5);
  flip("acknowledged", 9);
  EXPECT_EQ(found(), 5);
  commit(1);
  EXPECT_EQ(read_acknowledged(path())->transaction, 6U);
  std::filesystem::remove(file("acknowledged"));
  EXPECT_EQ(found(), 6);
  commit(1);
  EXPECT_EQ(read_acknowledged(path())->transaction, 7U);

  const std::string journal = read_file(file("journal"));
  std::filesystem::remove(file("acknowledged"));
  for (std::size_t at = 0, last = journal.rfind("fqJ1"); at < last; at += 512) {
    if (journal.substr(at, 4) != "fqJ1") continue;
    flip("journal", at + 40);
    EXPECT_EQ(refusal(), damaged("db/journal: a frame in it is not what was written")) << at;
    write_file(file("journal"), journal);
  }
  EXPECT_EQ(found(), 7);
}

TEST_F(DamageTest, what_can_be_read_is_kept_by_a_repair) {
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

TEST_F(DamageTest, what_the_journal_and_other_tables_have_outlives_a_table_that_cannot_be_read) {
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

TEST_F(DamageTest, a_bit_of_the_journal_costs_one_change) {
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

TEST_F(DamageTest, a_repair_that_is_refused_changes_nothing) {
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

TEST_F(DamageTest, what_is_told_of_what_a_repair_may_have_lost) {
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

TEST_F(DamageTest, what_a_killed_process_left_is_cleared_by_the_next) {
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
}  // namespace fq::store
