#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/as_nobody.h"
#include "support/error_text.h"
#include "support/temp_directory.h"

namespace fq {
namespace {

TEST(File, reads_all_that_a_descriptor_has) {
  // From the position on, of files and pipes alike; more than was allowed is refused.
  const test::TempDirectory directory;
  const std::string path = directory.path() + "/file";
  const std::string bytes(200'000, 'x');
  write_file(path, bytes + "y");
  const UniqueFd fd = open_file(path, O_RDONLY);
  ASSERT_EQ(::lseek(fd.get(), 100'000, SEEK_SET), 100'000);
  EXPECT_EQ(read_all(fd.get(), path), bytes.substr(100'000) + "y");
  EXPECT_EQ(read_all(fd.get(), path), "");

  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const UniqueFd out{ends[0]};
  {
    const UniqueFd in{ends[1]};
    write_all(in.get(), "some bytes", "pipe");
  }
  EXPECT_EQ(read_all(out.get(), "pipe", 10), "some bytes");
  const UniqueFd again = open_file(path, O_RDONLY);
  EXPECT_EQ(error_text([&] { return read_all(again.get(), "file", 200'000); }),
            "'file' has more than 200000 bytes");
  EXPECT_EQ(error_text([&] { return read_all(open_file(directory.path(), O_RDONLY).get(), "directory"); }),
            "cannot read 'directory': Is a directory");
}

TEST(File, trees_are_removed_whatever_the_modes_of_their_directories) {
  // Of oneself; what a link in it leads to stays as it is.
  const test::TempDirectory directory;
  EXPECT_TRUE(test::as_nobody(directory.path(), [&] {
    const std::string tree = directory.path() + "/tree", other = directory.path() + "/other";
    for (const char* name : {"", "/none", "/none/below", "/closed", "/closed/below"})
      make_directory(tree + name);
    make_directory(other);
    write_file(tree + "/none/file", "1");
    write_file(tree + "/closed/below/file", "2");
    if (::symlink(other.c_str(), (tree + "/link").c_str()) != 0) return false;
    for (const char* name : {"/none/below", "/none", "/closed/below"}) ::chmod((tree + name).c_str(), 0);
    ::chmod((tree + "/closed").c_str(), 0500);
    ::chmod(other.c_str(), 0);
    remove_tree(tree);
    struct stat info {};
    return !exists(tree) && ::stat(other.c_str(), &info) == 0 && (info.st_mode & 0777U) == 0;
  }));
}

}  // namespace
}  // namespace fq
