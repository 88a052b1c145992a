// Files of a database that are not what was written: each answer is right, or a refusal that names the file
// and changes nothing.

#include "store/rocks/damage.h"

#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "store/rocks/acknowledged.h"
#include "store/rocks/damage_fixture.h"
#include "store/store_lock.h"

namespace fq::store::rocks {
namespace {

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

}  // namespace
}  // namespace fq::store::rocks
