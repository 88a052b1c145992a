// What the journal asks of the disk, in which order, and what is there when a call fails.

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "store/rocks/journal_fixture.h"

namespace fq::store::rocks {
namespace {

// Tells what is asked of the disk, a word a call: the file is made (`make`) and its blocks are written
// (`blocks`); it is opened (`open`) and a frame is written (`frame`); either is synced (`sync`); its
// directory is opened and synced (`directory`, `name`). One of them may fail; of a frame a half is written
// then.
class Watched final : public rocksdb::FileSystemWrapper {
 public:
  /// The `fails`th call fails, none where it is 0.
  explicit Watched(int fails = 0) : FileSystemWrapper(FileSystem::Default()), left_(fails) {}
  const char* Name() const override { return "watched"; }
  /// The calls since the last question.
  [[nodiscard]] std::string take_told() { return std::exchange(told_, {}); }
  [[nodiscard]] bool failed() const { return failed_; }

  IOStatus ReopenWritableFile(const std::string& path, const FileOptions& options,
                              std::unique_ptr<FSWritableFile>* file, IODebugContext* debug) override {
    IOStatus status = call("make", [&] { return target()->ReopenWritableFile(path, options, file, debug); });
    if (status.ok()) *file = std::make_unique<Blocks>(std::move(*file), *this);
    return status;
  }
  IOStatus NewRandomRWFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSRandomRWFile>* file, IODebugContext* debug) override {
    IOStatus status = call("open", [&] { return target()->NewRandomRWFile(path, options, file, debug); });
    if (status.ok()) *file = std::make_unique<Frames>(std::move(*file), *this);
    return status;
  }
  IOStatus NewDirectory(const std::string& path, const IOOptions& options,
                        std::unique_ptr<rocksdb::FSDirectory>* directory, IODebugContext* debug) override {
    IOStatus status =
        call("directory", [&] { return target()->NewDirectory(path, options, directory, debug); });
    if (status.ok()) *directory = std::make_unique<Names>(std::move(*directory), *this);
    return status;
  }

 private:
  template <typename Call>
  IOStatus call(std::string_view word, const Call& real) {
    told_ += fmt::format("{} ", word);
    if (--left_ != 0) return real();
    failed_ = true;
    return IOStatus::NoSpace("fails");
  }
  struct Blocks final : rocksdb::FSWritableFileOwnerWrapper {
    Blocks(std::unique_ptr<FSWritableFile>&& file, Watched& by)
        : FSWritableFileOwnerWrapper(std::move(file)), watched(by) {}
    IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
      return watched.call("blocks", [&] { return FSWritableFileOwnerWrapper::Append(data, options, debug); });
    }
    IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
      return watched.call("sync", [&] { return FSWritableFileOwnerWrapper::Sync(options, debug); });
    }
    Watched& watched;
  };
  struct Frames final : rocksdb::FSRandomRWFileOwnerWrapper {
    Frames(std::unique_ptr<rocksdb::FSRandomRWFile>&& file, Watched& by)
        : FSRandomRWFileOwnerWrapper(std::move(file)), watched(by) {}
    IOStatus Write(std::uint64_t at, const Slice& data, const IOOptions& options,
                   IODebugContext* debug) override {
      const auto write = [&](std::size_t size) {
        return FSRandomRWFileOwnerWrapper::Write(at, Slice(data.data(), size), options, debug);
      };
      IOStatus status = watched.call("frame", [&] { return write(data.size()); });
      if (!status.ok()) write(data.size() / 2).PermitUncheckedError();
      return status;
    }
    IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
      return watched.call("sync", [&] { return FSRandomRWFileOwnerWrapper::Sync(options, debug); });
    }
    Watched& watched;
  };
  struct Names final : rocksdb::FSDirectoryWrapper {
    Names(std::unique_ptr<rocksdb::FSDirectory>&& directory, Watched& by)
        : FSDirectoryWrapper(std::move(directory)), watched(by) {}
    IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
      return watched.call("name", [&] { return FSDirectoryWrapper::Fsync(options, debug); });
    }
    Watched& watched;
  };
  std::string told_;
  int left_;
  bool failed_ = false;
};

TEST_F(JournalTest, a_commit_is_one_write_and_one_sync) {
  // The file's blocks are on the disk before the first frame is written, and so is its name, whoever made it.
  Watched files;
  files_ = &files;
  std::filesystem::remove(file());
  {
    Journal journal(files_, directory_);
    journal.load();
    EXPECT_TRUE(journal.create().ok());
  }
  EXPECT_EQ(files.take_told(), "make blocks sync directory name ");
  write(1, {"one"});
  EXPECT_EQ(files.take_told(), "open directory name frame sync ");
  write(2, {"two"});
  EXPECT_EQ(files.take_told(), "open frame sync ");
}

TEST_F(JournalTest, whichever_call_fails_nothing_is_torn_from_what_was_there) {
  // The next process finds what was acknowledged, perhaps what was not, and goes on.
  for (const bool removed : {false, true}) {
    bool failed = true;
    for (int call = 1; failed; ++call) {
      std::filesystem::remove(file());
      Journal(files_, directory_).create().PermitUncheckedError();
      write(1, {"old"});
      if (removed) remove_all();
      Watched files(call);
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
  Watched files;
  Journal journal(&files, directory_);
  journal.load();
  std::unique_ptr<FSWritableFile> log_file;
  ASSERT_TRUE(journal.make(log(1), &log_file));
  ASSERT_TRUE(log_file->Append("text", IOOptions{}, nullptr).ok());
  journal.load();
  ASSERT_TRUE(log_file->Sync(IOOptions{}, nullptr).ok());
  EXPECT_EQ(files.take_told(), "open directory name frame open sync ");
  ASSERT_TRUE(log_file->Sync(IOOptions{}, nullptr).ok());
  EXPECT_EQ(files.take_told(), "");
}

// A disk on which the first sync takes until it is told to end, and fails then.
class SlowSync final : public rocksdb::FileSystemWrapper {
 public:
  SlowSync() : FileSystemWrapper(FileSystem::Default()) {}
  const char* Name() const override { return "slow"; }
  std::promise<void> begun, end;
  std::atomic<int> syncs{0};

  IOStatus NewRandomRWFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSRandomRWFile>* file, IODebugContext* debug) override {
    IOStatus status = FileSystemWrapper::NewRandomRWFile(path, options, file, debug);
    if (status.ok()) *file = std::make_unique<File>(std::move(*file), *this);
    return status;
  }

 private:
  struct File final : rocksdb::FSRandomRWFileOwnerWrapper {
    File(std::unique_ptr<rocksdb::FSRandomRWFile>&& file, SlowSync& by)
        : FSRandomRWFileOwnerWrapper(std::move(file)), slow(by) {}
    IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
      if (slow.syncs++ > 0) return FSRandomRWFileOwnerWrapper::Sync(options, debug);
      slow.begun.set_value();
      slow.end.get_future().wait();
      return IOStatus::IOError("fails");
    }
    SlowSync& slow;
  };
};

TEST_F(JournalTest, a_sync_is_not_done_before_one_that_is_under_way) {
  // Which may fail: who came meanwhile must not be told that all is on the disk. A sync that is asked for
  // later tries again.
  SlowSync files;
  Journal journal(&files, directory_);
  journal.load();
  std::unique_ptr<FSWritableFile> log_file;
  ASSERT_TRUE(journal.make(log(1), &log_file));
  ASSERT_TRUE(log_file->Append("text", IOOptions{}, nullptr).ok());
  const auto sync = [&] { return log_file->Sync(IOOptions{}, nullptr).ok(); };
  auto first = std::async(std::launch::async, sync);
  files.begun.get_future().wait();
  std::promise<void> asked;
  auto second = std::async(std::launch::async, [&] {
    asked.set_value();
    return sync();
  });
  asked.get_future().wait();
  EXPECT_EQ(second.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  files.end.set_value();
  EXPECT_FALSE(first.get());
  second.wait();
  EXPECT_TRUE(sync());
  EXPECT_GE(files.syncs, 2);
}

}  // namespace
}  // namespace fq::store::rocks
