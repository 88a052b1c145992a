#include "cli/submit/surroundings.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace fq::cli {
namespace {

TEST(Surroundings, are_those_of_this_process) {
  // Directory, environment without what is not UTF-8, umask left as it was, limits by name.
  ::setenv("FQ_TEST_GOOD", "a=b", 1);
  ::setenv("FQ_TEST_BAD", "\xff", 1);
  const Surroundings here = capture_surroundings();
  const Surroundings again = capture_surroundings();
  EXPECT_TRUE(here.cwd.starts_with('/'));
  EXPECT_EQ(here.environment.at("FQ_TEST_GOOD"), "a=b");
  EXPECT_FALSE(here.environment.contains("FQ_TEST_BAD"));
  EXPECT_EQ(here.umask, again.umask);
  EXPECT_GT(here.now, 1e9);
  for (const char* name :
       {"as", "core", "cpu", "data", "fsize", "memlock", "nofile", "nproc", "rss", "stack"}) {
    EXPECT_TRUE(here.rlimits.contains(name)) << name;
  }
}

}  // namespace
}  // namespace fq::cli
