// What the journal asks of the disk, in which order, and what is there when a call fails.

#include <filesystem>

#include <gtest/gtest.h>

#include "store/journal_fixture.h"

namespace fq::store {
namespace {

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
}  // namespace
}  // namespace fq::store
