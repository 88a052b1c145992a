#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

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

}  // namespace
}  // namespace fq
