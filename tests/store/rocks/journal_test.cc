// RocksDB's logs in one file: what is torn, overwritten, or too long for it.

#include <filesystem>
#include <functional>

#include <gtest/gtest.h>

#include "store/rocks/database.h"
#include "store/rocks/journal_fixture.h"
#include "store/rocks/read_only_database.h"
#include "support/error_text.h"

namespace fq::store::rocks {
namespace {

TEST_F(JournalTest, logs_of_several_processes_are_in_one_file) {
  EXPECT_EQ(found(), "");
  write(7, {"one ", "two"});
  write(9, {"three"});
  EXPECT_EQ(found(), "000007.log one two, 000009.log three");
  EXPECT_EQ(names_in(directory_)->size(), 1U);
}

TEST_F(JournalTest, it_does_not_grow_while_logs_come_and_go) {
  write(1, {std::string(5000, 'a')});
  const auto size = std::filesystem::file_size(file());
  for (int number = 2; number < 300; ++number) {
    if (number % 30 == 0) remove_all();
    write(number, {std::string(5000, 'b')});
    EXPECT_EQ(std::filesystem::file_size(file()), size);
  }
}

TEST_F(JournalTest, what_is_left_of_removed_logs_is_not_found_again) {
  // The new frames end in the middle of the old ones, and also at the end of one of them.
  write(1, {"first", "second", "third"});
  remove_all();
  EXPECT_EQ(found(), "");
  write(2, {"other"});
  EXPECT_EQ(found(), "000002.log other");
  remove_all();
  write(3, {"x"});
  EXPECT_EQ(found(), "000003.log x");
}

TEST_F(JournalTest, removed_logs_may_come_back_until_the_next_is_written) {
  // A power failure may take back the mark of their removal: RocksDB knows that they count no more.
  write(1, {"old"});
  const std::string before = read_file(file());
  remove_all();
  write_file(file(), before);
  EXPECT_EQ(found(), "000001.log old");
}

TEST_F(JournalTest, a_torn_frame_ends_it_and_is_written_over) {
  // Whichever byte of the last frame is not what was written.
  write(1, {"whole"});
  const std::string one = read_file(file());
  write(2, {"torn text"});
  const std::string two = read_file(file());
  std::size_t end = two.find_last_not_of('\0') + 1;
  std::size_t begin = 0;
  while (one[begin] == two[begin]) ++begin;
  ASSERT_EQ(end - begin, 32U + 9U);
  ASSERT_EQ(begin % 512, 0U);
  for (std::size_t at = begin; at < end; ++at) {
    write_file(file(), two);
    overwrite(at, std::string(1, static_cast<char>(two[at] ^ 1)));
    EXPECT_EQ(found(), "000001.log whole") << at - begin;
  }
  write(3, {"next"});
  EXPECT_EQ(found(), "000001.log whole, 000003.log next");
  for (std::size_t size = 0; size < end; ++size) {
    write_file(file(), two.substr(0, size));
    EXPECT_EQ(found(), size < 32 + 5 ? "" : "000001.log whole") << size;
  }
}

TEST_F(JournalTest, a_failed_sync_is_known_until_it_is_forgotten_or_written_over) {
  // Its mark stands behind logs, and where there are none, and is no log itself.
  const auto marked = [&] {
    Journal journal(files_, directory_);
    journal.load();
    return journal.sync_has_failed();
  };
  const auto mark = [&](bool on) {
    Journal journal(files_, directory_);
    journal.load();
    on ? journal.note_failed_sync() : journal.forget_failed_sync();
    EXPECT_EQ(journal.sync_has_failed(), on);
  };
  for (const std::string logs : {"", "000001.log one"}) {
    if (!logs.empty()) write(1, {"one"});
    EXPECT_FALSE(marked());
    mark(true);
    EXPECT_TRUE(marked());
    mark(true);
    EXPECT_EQ(found(), logs);
    mark(false);
    EXPECT_FALSE(marked());
    EXPECT_EQ(found(), logs);
    mark(true);
    write(2, {"two"});
    EXPECT_FALSE(marked());
    EXPECT_EQ(found(), logs + (logs.empty() ? "" : ", ") + "000002.log two");
    remove_all();
    EXPECT_FALSE(marked());
  }
  mark(true);
  EXPECT_TRUE(marked());
}

TEST_F(JournalTest, behind_the_mark_of_a_failed_sync_nothing_went_on) {
  // Though frames of the same epoch lie there, of logs that were removed before it.
  Journal journal(files_, directory_);
  journal.load();
  append(journal, 1, {"one", "two", "three", "four"});
  EXPECT_TRUE(journal.remove(log(1)));
  journal.note_failed_sync();
  Journal next(files_, directory_);
  next.load();
  EXPECT_TRUE(next.sync_has_failed());
  EXPECT_FALSE(next.goes_on());
}

TEST_F(JournalTest, a_flipped_bit_costs_at_most_its_frame) {
  // Whichever byte it is in: what the frame says of itself then, its place and epoch too, is not believed.
  write(1, {"before"});
  remove_all();
  write(2, {std::string(1500, 'a'), "b"});
  write(3, {"c"});
  write(5, {"d", std::string(600, 'e'), "f"});
  const std::string whole = read_file(file());
  const std::size_t end = whole.find_last_not_of('\0') + 1;
  const std::vector<std::string> frames{std::string(1500, 'a'), "b", "c", "d", std::string(600, 'e'), "f"};
  std::size_t frame = 0, head = 0;
  for (std::size_t at = 0; at < end; ++at) {
    if (at > 0 && at % 512 == 0 && whole.substr(at, 4) == "fqJ1") {
      ++frame;
      head = at;
    }
    // Of what a frame holds not every byte.
    if (whole[at] == '\0' ? at >= head + 32 : at >= head + 40 && at % 100 != 0) continue;
    overwrite(at, std::string(1, static_cast<char>(whole[at] ^ 1)));
    const std::string salvaged = found(true);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const bool there = i == frame || salvaged.find(frames[i]) != std::string::npos;
      EXPECT_TRUE(there) << at << " " << frames[i];
    }
    Journal journal(files_, directory_);
    journal.load();
    EXPECT_EQ(journal.goes_on(), frame + 1 < frames.size() || at < head + 4) << at;
    overwrite(at, whole.substr(at, 1));
  }
  EXPECT_EQ(frame + 1, frames.size());
  EXPECT_EQ(found(true), found());
}

TEST_F(JournalTest, a_frame_that_claims_to_be_huge_is_not_there) {
  write(1, {"whole"});
  overwrite(28, "\xff\xff\xff\xff");
  EXPECT_EQ(found(), "");
}

TEST_F(JournalTest, what_a_frame_that_was_written_over_was_followed_by_does_not_count) {
  // The place, the epoch and the length of the new frame are the old one's; a power failure tore only that.
  write(1, {"whole"});
  const std::string one = read_file(file());
  write(2, {"torn", "left"});
  std::string two = read_file(file());
  std::size_t begin = 0;
  while (one[begin] == two[begin]) ++begin;
  two[begin + 32] ^= 1;
  write_file(file(), two);
  write(3, {"next"});
  EXPECT_EQ(found(), "000001.log whole, 000003.log next");
}

TEST_F(JournalTest, one_that_cannot_be_read_is_not_taken_for_empty) {
  // The next commit would be written over what is there.
  const std::string path = directory_ + "/db";
  Database::open(path, true).close();
  std::filesystem::remove(path + "/journal");
  make_directory(path + "/journal");
  for (const auto& open :
       std::vector<std::function<void()>>{[&] { static_cast<void>(Database::open(path, false)); },
                                          [&] { static_cast<void>(ReadOnlyDatabase{path}); }}) {
    const std::string text = error_text([&] {
      open();
      return 0;
    });
    EXPECT_NE(text.find("cannot open the store: IO error: "), std::string::npos) << text;
    EXPECT_NE(text.find("Is a directory"), std::string::npos) << text;
  }
}

TEST_F(JournalTest, a_log_is_a_file_where_much_is_in_it) {
  // What began before stays in, however long it becomes; once all is removed the file is small again.
  Journal journal(files_, directory_);
  journal.load();
  append(journal, 1, {std::string(2U << 20U, 'a')});
  std::unique_ptr<FSWritableFile> file;
  EXPECT_FALSE(journal.make(log(2), &file));
  EXPECT_GT(std::filesystem::file_size(this->file()), 2U << 20U);
  remove_all();
  write(3, {"small"});
  EXPECT_LT(std::filesystem::file_size(this->file()), 1U << 20U);
  EXPECT_EQ(found(), "000003.log small");
}

TEST_F(JournalTest, without_one_logs_are_files) {
  // Of a store that older programs may still open.
  std::filesystem::remove(file());
  Journal journal(files_, directory_);
  journal.load();
  std::unique_ptr<FSWritableFile> log_file;
  EXPECT_FALSE(journal.make(log(1), &log_file));
  EXPECT_TRUE(journal.create().ok());
  EXPECT_TRUE(journal.make(log(2), &log_file));
}

TEST_F(JournalTest, only_logs_are_in_it) {
  Journal journal(files_, directory_);
  journal.load();
  std::unique_ptr<FSWritableFile> file;
  for (const char* name : {"000007.sst", "MANIFEST-000007", "CURRENT", ".log", "x7.log", "7x.log"})
    EXPECT_FALSE(journal.make(directory_ + "/" + name, &file)) << name;
  EXPECT_FALSE(journal.remove(log(7)));
}

TEST_F(JournalTest, a_database_reads_logs_that_are_files_too) {
  // Those of bulk work, which are longer, beside those in the journal.
  const std::string path = directory_ + "/db";
  for (int i = 0; i < 5; ++i) {
    Database database = Database::open(path, i == 0);
    for (int k = 0; k < 3; ++k) {
      Transaction transaction = database.begin();
      transaction.put(Family::kvs, fmt::format("{}.{}", i, k), std::string(i == 2 ? 900'000 : 10, 'x'));
      transaction.commit();
    }
  }  // not flushed
  Database database = Database::open(path, false);
  EXPECT_GT(database.log_size().bytes, 2'700'000U);
  std::size_t keys = 0;
  const Transaction transaction = database.begin();
  for (const auto at = transaction.scan_prefix(Family::kvs, ""); at->valid(); at->next()) ++keys;
  EXPECT_EQ(keys, 15U);
}

}  // namespace
}  // namespace fq::store::rocks
