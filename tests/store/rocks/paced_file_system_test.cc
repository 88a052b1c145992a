// Reading with pauses, so that others go on.

#include "store/rocks/paced_file_system.h"

#include <ctime>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/file.h"
#include "support/temp_directory.h"

namespace fq::store::rocks {
namespace {

using rocksdb::FileSystem;
using rocksdb::Slice;

// How often this thread gave up its processor by itself, and how long it has had one.
long times_paused() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}
double worked_s() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// Reads a file, which stays in the page cache, through `files` for 20 ms of work. Returns how often it
// paused.
long pauses_in_20_ms(FileSystem& files, const std::string& path) {
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  EXPECT_TRUE(files.NewRandomAccessFile(path, {}, &file, nullptr).ok());
  const std::string text = read_file(path);
  std::string buffer(text.size(), '\0');
  const long before = times_paused();
  for (const double end = worked_s() + 0.02; worked_s() < end;) {
    Slice read;
    EXPECT_TRUE(file->Read(0, buffer.size(), {}, &read, buffer.data(), nullptr).ok());
    EXPECT_EQ(read.ToString(), text);
  }
  return times_paused() - before;
}

TEST(PacedFileSystem, who_reads_pauses_again_and_again) {
  // About every half millisecond; the plain one reads on.
  const test::TempDirectory directory;
  const std::string path = directory.path() + "/table";
  write_file(path, std::string(10'000, 'x'));
  EXPECT_GE(pauses_in_20_ms(*paced(FileSystem::Default()), path), 10);
  EXPECT_LT(pauses_in_20_ms(*FileSystem::Default(), path), 10);
}

}  // namespace
}  // namespace fq::store::rocks
