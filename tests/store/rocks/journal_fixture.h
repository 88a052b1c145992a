// The journal of a directory, as one process after another writes it.

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "store/rocks/journal.h"
#include "support/temp_directory.h"

namespace fq::store::rocks {

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
  std::string found(bool salvage = false) {
    Journal journal(files_, directory_);
    journal.load(salvage);
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

}  // namespace fq::store::rocks
