// RocksDB's logs in one file: what is torn, overwritten, or too long for it.

#include "store/journal.h"

#include <filesystem>
#include <functional>

#include <gtest/gtest.h>

#include "base/file.h"
#include "store/database.h"
#include "store/read_only_database.h"
#include "support/error_text.h"
#include "support/temp_directory.h"

namespace fq::store {
namespace {

using rocksdb::FileOptions;
using rocksdb::FileSystem;
using rocksdb::FSWritableFile;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

class JournalTest : public testing::Test {
 protected:
  JournalTest() {
    Journal journal(files_, directory_);
    journal.load();
    EXPECT_TRUE(journal.create().ok());
  }
  [[nodiscard]] std::string log(int number) const { return fmt::format("{}/{:06}.log", directory_, number); }
  [[nodiscard]] std::string file() const { return directory_ + "/journal"; }

  /// One process: begins this log and appends each of the texts.
  void write(int number, const std::vector<std::string>& texts) {
    Journal journal(files_, directory_);
    journal.load();
    append(journal, number, texts);
  }
  void append(Journal& journal, int number, const std::vector<std::string>& texts) {
    std::unique_ptr<FSWritableFile> file;
    ASSERT_TRUE(journal.make(log(number), &file));
    for (const std::string& text : texts) ASSERT_TRUE(file->Append(text, IOOptions{}, nullptr).ok());
    ASSERT_TRUE(file->Sync(IOOptions{}, nullptr).ok());
    ASSERT_TRUE(file->Close(IOOptions{}, nullptr).ok());
  }
  /// What the next process finds: `name text` of each log, joined by `, `.
  std::string found() {
    Journal journal(files_, directory_);
    journal.load();
    std::string out;
    for (const std::string& name : journal.names()) {
      std::unique_ptr<rocksdb::FSSequentialFile> file;
      EXPECT_TRUE(journal.read(directory_ + "/" + name, &file));
      std::string buffer(1U << 20U, '\0');
      Slice text;
      EXPECT_TRUE(file->Read(buffer.size(), IOOptions{}, &text, buffer.data(), nullptr).ok());
      std::uint64_t size = 0;
      EXPECT_TRUE(journal.size_of(directory_ + "/" + name, &size));
      EXPECT_EQ(size, text.size());
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, text.ToString());
    }
    return out;
  }
  void remove_all() {
    Journal journal(files_, directory_);
    journal.load();
    for (const std::string& name : journal.names()) EXPECT_TRUE(journal.remove(directory_ + "/" + name));
  }
  void overwrite(std::size_t at, const std::string& bytes) {
    std::string all = read_file(file());
    all.replace(at, bytes.size(), bytes);
    write_file(file(), all);
  }

  test::TempDirectory temp_;
  std::string directory_ = temp_.path();
  FileSystem* files_ = FileSystem::Default().get();
};

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

// Tells what becomes of the journal: `blocks` are written, `sync`, `name` is on the disk, a `frame` is
// written.
class Telling final : public rocksdb::FileSystemWrapper {
 public:
  explicit Telling(std::string& told) : FileSystemWrapper(FileSystem::Default()), told_(&told) {}
  const char* Name() const override { return "telling"; }

  rocksdb::IOStatus ReopenWritableFile(const std::string& path, const FileOptions& options,
                                       std::unique_ptr<FSWritableFile>* file,
                                       rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = FileSystemWrapper::ReopenWritableFile(path, options, file, debug);
    if (status.ok()) *file = std::make_unique<Blocks>(std::move(*file), *told_);
    return status;
  }
  rocksdb::IOStatus NewRandomRWFile(const std::string& path, const FileOptions& options,
                                    std::unique_ptr<rocksdb::FSRandomRWFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = FileSystemWrapper::NewRandomRWFile(path, options, file, debug);
    if (status.ok()) *file = std::make_unique<Frames>(std::move(*file), *told_);
    return status;
  }
  rocksdb::IOStatus NewDirectory(const std::string& path, const IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* directory,
                                 rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = FileSystemWrapper::NewDirectory(path, options, directory, debug);
    if (status.ok()) *directory = std::make_unique<Names>(std::move(*directory), *told_);
    return status;
  }

 private:
  struct Blocks final : rocksdb::FSWritableFileOwnerWrapper {
    Blocks(std::unique_ptr<FSWritableFile>&& file, std::string& to)
        : FSWritableFileOwnerWrapper(std::move(file)), told(&to) {}
    rocksdb::IOStatus Append(const Slice& data, const IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
      *told += "blocks ";
      return FSWritableFileOwnerWrapper::Append(data, options, debug);
    }
    rocksdb::IOStatus Sync(const IOOptions& options, rocksdb::IODebugContext* debug) override {
      *told += "sync ";
      return FSWritableFileOwnerWrapper::Sync(options, debug);
    }
    std::string* told;
  };
  struct Frames final : rocksdb::FSRandomRWFileOwnerWrapper {
    Frames(std::unique_ptr<rocksdb::FSRandomRWFile>&& file, std::string& to)
        : FSRandomRWFileOwnerWrapper(std::move(file)), told(&to) {}
    rocksdb::IOStatus Write(std::uint64_t offset, const Slice& data, const IOOptions& options,
                            rocksdb::IODebugContext* debug) override {
      *told += "frame ";
      return FSRandomRWFileOwnerWrapper::Write(offset, data, options, debug);
    }
    rocksdb::IOStatus Sync(const IOOptions& options, rocksdb::IODebugContext* debug) override {
      *told += "sync ";
      return FSRandomRWFileOwnerWrapper::Sync(options, debug);
    }
    std::string* told;
  };
  struct Names final : rocksdb::FSDirectoryWrapper {
    Names(std::unique_ptr<rocksdb::FSDirectory>&& directory, std::string& to)
        : FSDirectoryWrapper(std::move(directory)), told(&to) {}
    rocksdb::IOStatus Fsync(const IOOptions& options, rocksdb::IODebugContext* debug) override {
      *told += "name ";
      return FSDirectoryWrapper::Fsync(options, debug);
    }
    std::string* told;
  };
  std::string* told_;
};

TEST_F(JournalTest, a_commit_is_one_write_and_one_sync) {
  // The file's blocks are on the disk before the first frame is written, and so is its name, whoever made it.
  std::string told;
  Telling files(told);
  files_ = &files;
  std::filesystem::remove(file());
  {
    Journal journal(files_, directory_);
    journal.load();
    EXPECT_TRUE(journal.create().ok());
  }
  EXPECT_EQ(told, "blocks sync name ");
  told.clear();
  write(1, {"one"});
  EXPECT_EQ(told, "name frame sync ");
  told.clear();
  write(2, {"two"});
  EXPECT_EQ(told, "frame sync ");
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

// A file system whose Nth call of those that change the journal fails; of a write a half is done.
class Failing final : public rocksdb::FileSystemWrapper {
 public:
  explicit Failing(int call) : FileSystemWrapper(FileSystem::Default()), left_(call) {}
  const char* Name() const override { return "failing"; }
  [[nodiscard]] bool failed() const { return left_ <= 0; }
  [[nodiscard]] int synced() const { return synced_; }

  IOStatus ReopenWritableFile(const std::string& path, const FileOptions& options,
                              std::unique_ptr<FSWritableFile>* file, IODebugContext* debug) override {
    return --left_ == 0 ? IOStatus::NoSpace("fails")
                        : FileSystemWrapper::ReopenWritableFile(path, options, file, debug);
  }
  IOStatus NewDirectory(const std::string& path, const IOOptions& options,
                        std::unique_ptr<rocksdb::FSDirectory>* directory, IODebugContext* debug) override {
    return --left_ == 0 ? IOStatus::IOError("fails")
                        : FileSystemWrapper::NewDirectory(path, options, directory, debug);
  }
  IOStatus NewRandomRWFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSRandomRWFile>* file, IODebugContext* debug) override {
    if (--left_ == 0) return IOStatus::IOError("fails");
    IOStatus status = FileSystemWrapper::NewRandomRWFile(path, options, file, debug);
    if (status.ok()) *file = std::make_unique<File>(std::move(*file), left_, synced_);
    return status;
  }

 private:
  class File final : public rocksdb::FSRandomRWFileOwnerWrapper {
   public:
    File(std::unique_ptr<rocksdb::FSRandomRWFile>&& file, int& left, int& synced)
        : FSRandomRWFileOwnerWrapper(std::move(file)), left_(left), synced_(synced) {}
    IOStatus Write(std::uint64_t at, const Slice& data, const IOOptions& options,
                   IODebugContext* debug) override {
      if (--left_ != 0) return FSRandomRWFileOwnerWrapper::Write(at, data, options, debug);
      static_cast<void>(
          FSRandomRWFileOwnerWrapper::Write(at, Slice(data.data(), data.size() / 2), options, debug));
      return IOStatus::NoSpace("fails");
    }
    IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
      if (--left_ == 0) return IOStatus::IOError("fails");
      ++synced_;
      return FSRandomRWFileOwnerWrapper::Sync(options, debug);
    }

   private:
    int& left_;
    int& synced_;
  };
  int left_;
  int synced_ = 0;
};

TEST_F(JournalTest, whichever_call_fails_nothing_is_torn_from_what_was_there) {
  // The next process finds what was acknowledged, perhaps what was not, and goes on.
  for (const bool removed : {false, true}) {
    bool failed = true;
    for (int call = 1; failed; ++call) {
      std::filesystem::remove(file());
      Journal(files_, directory_).create().PermitUncheckedError();
      write(1, {"old"});
      if (removed) remove_all();
      Failing files(call);
      bool acknowledged = false;
      {
        Journal journal(&files, directory_);
        journal.load();
        std::unique_ptr<FSWritableFile> log_file;
        ASSERT_TRUE(journal.make(log(2), &log_file));
        acknowledged =
            log_file->Append("new", IOOptions{}, nullptr).ok() && log_file->Sync(IOOptions{}, nullptr).ok();
      }
      failed = files.failed();
      EXPECT_EQ(acknowledged, !failed);
      const std::string old = removed ? "" : "000001.log old";
      const std::string both = old + (removed ? "" : ", ") + "000002.log new";
      const std::string now = found();
      EXPECT_TRUE(now == both || (failed && now == old)) << call << ": " << now;
      write(3, {"next"});
      EXPECT_EQ(found(), (now.empty() ? "" : now + ", ") + "000003.log next") << call;
      ASSERT_LT(call, 20);
    }
  }
}

TEST_F(JournalTest, a_sync_after_it_was_read_anew_syncs_what_was_appended_before) {
  // As when a reader is opened beside a writer whose last commit failed.
  Failing files(1000);
  Journal journal(&files, directory_);
  journal.load();
  std::unique_ptr<FSWritableFile> log_file;
  ASSERT_TRUE(journal.make(log(1), &log_file));
  ASSERT_TRUE(log_file->Append("text", IOOptions{}, nullptr).ok());
  journal.load();
  ASSERT_TRUE(log_file->Sync(IOOptions{}, nullptr).ok());
  EXPECT_EQ(files.synced(), 1);
  ASSERT_TRUE(log_file->Sync(IOOptions{}, nullptr).ok());
  EXPECT_EQ(files.synced(), 1);
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
}  // namespace fq::store
