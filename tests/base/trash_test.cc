#include "base/trash.h"

#include <atomic>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "support/as_nobody.h"
#include "support/temp_directory.h"

namespace fq {
namespace {

class TrashTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return directory_.path() + "/" + name; }
  std::size_t in_trash() const { return names_in(path("trash")).value().size(); }

 private:
  test::TempDirectory directory_;
};

TEST_F(TrashTest, takes_files_and_directories) {
  make_directory(path("trash"));
  make_directory(path("directory"));
  write_file(path("directory/file"), "1");
  write_file(path("file"), "2");
  EXPECT_TRUE(move_to_trash(path("directory"), path("trash")));
  EXPECT_TRUE(move_to_trash(path("file"), path("trash")));
  EXPECT_FALSE(exists(path("directory")) || exists(path("file")));
  write_file(path("file"), "3");
  EXPECT_TRUE(move_to_trash(path("file"), path("trash")));
  EXPECT_EQ(read_file(path("trash/file")), "3");
  EXPECT_TRUE(empty_trash(path("trash")));
  EXPECT_EQ(in_trash(), 0U);
  EXPECT_FALSE(empty_trash(path("trash")));
}

TEST_F(TrashTest, keeps_what_a_replaced_file_was) {
  make_directory(path("trash"));
  write_file(path("file"), "old");
  link_in_trash(path("file"), path("trash"));
  replace_file(path("file"), "new");
  const auto names = names_in(path("trash")).value();
  ASSERT_EQ(names.size(), 1U);
  EXPECT_EQ(read_file(path("trash/" + names.front())), "old");
  EXPECT_EQ(read_file(path("file")), "new");
  link_in_trash(path("missing"), path("trash"));
  EXPECT_EQ(in_trash(), 1U);
}

TEST_F(TrashTest, frees_large_files_step_by_step_but_for_those_who_have_them) {
  // A reader that opened one before, and a copy of the store by links, lose nothing.
  make_directory(path("trash"));
  const std::string large(5'000'000, 'x');
  for (const char* name : {"read", "linked", "free"}) write_file(path(name), large);
  const UniqueFd reader = open_file(path("read"), O_RDONLY);
  ASSERT_EQ(::link(path("linked").c_str(), path("copy").c_str()), 0);
  for (const char* name : {"read", "linked", "free"}) ASSERT_TRUE(move_to_trash(path(name), path("trash")));
  const UniqueFd freed = open_file(path("trash/free"), O_PATH);
  int pauses = 0;
  empty_trash_slowly(path("trash"), [&] { ++pauses; });
  EXPECT_EQ(pauses, 2 + 4);  // between the names, and between the five MiB of the free one
  EXPECT_EQ(in_trash(), 0U);
  EXPECT_EQ(read_all(reader.get(), "read").size(), large.size());
  EXPECT_EQ(read_file(path("copy")).size(), large.size());
  struct stat info {};
  ASSERT_EQ(::fstat(freed.get(), &info), 0);
  EXPECT_LT(info.st_size, 1'100'000);  // as it was when it was removed
}

TEST_F(TrashTest, is_emptied_slowly_by_one_and_at_once_by_all) {
  make_directory(path("trash"));
  write_file(path("trash/file"), "1");
  {
    const UniqueFd other = open_file(path("trash"), O_RDONLY | O_DIRECTORY);
    ASSERT_EQ(::flock(other.get(), LOCK_EX), 0);
    empty_trash_slowly(path("trash"), [] {});
    EXPECT_EQ(in_trash(), 1U);
    EXPECT_TRUE(empty_trash(path("trash")));
    write_file(path("trash/file"), "2");
  }
  empty_trash_slowly(path("trash"), [] {});
  EXPECT_EQ(in_trash(), 0U);
}

TEST_F(TrashTest, may_be_emptied_while_it_is_looked_at) {
  // Whoever opens a file while another asks whether it has it alone harms nobody.
  make_directory(path("trash"));
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!done) {
      const std::vector<std::string> names = names_in(path("trash")).value();
      for (const std::string& name : names) {
        const UniqueFd file(::open(path("trash/" + name).c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
      }
    }
  });
  for (int i = 0; i < 300; ++i) {
    for (const char* name : {"a", "b", "c", "d"}) {
      write_file(path("trash/") + name, "");
      ASSERT_EQ(::truncate((path("trash/") + name).c_str(), 3 << 20), 0);
    }
    empty_trash_slowly(path("trash"), [] {});
    ASSERT_EQ(in_trash(), 0U);
  }
  done = true;
  other.join();
  EXPECT_EQ(in_trash(), 0U);
}

TEST_F(TrashTest, frees_what_it_can) {
  // What is another's, among what is one's own, stays.
  if (::geteuid() != 0) return;
  for (const char* name : {"trash", "trash/b", "trash/b/below"}) make_directory(path(name));
  ASSERT_EQ(::chmod(path("").c_str(), 0711), 0);
  EXPECT_TRUE(test::as_nobody(path("trash"), [&] {
    const auto put = [&] {
      for (const char* name : {"trash/a", "trash/c"}) write_file(path(name), "1");
    };
    put();
    const bool once = empty_trash(path("trash")) && in_trash() == 1 && !empty_trash(path("trash"));
    put();
    empty_trash_slowly(path("trash"), [] {});
    return once && in_trash() == 1;
  }));
}

TEST_F(TrashTest, that_is_not_there_takes_nothing) {
  write_file(path("file"), "1");
  EXPECT_FALSE(move_to_trash(path("file"), path("trash")));
  EXPECT_FALSE(move_to_trash(path("missing"), path("trash")));
  link_in_trash(path("file"), path("trash"));
  EXPECT_EQ(read_file(path("file")), "1");
  EXPECT_FALSE(empty_trash(path("trash")));
  empty_trash_slowly(path("trash"), [] {});
}

}  // namespace
}  // namespace fq
