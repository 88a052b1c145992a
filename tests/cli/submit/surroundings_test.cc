#include "cli/submit/surroundings.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "base/error.h"

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

TEST(Surroundings, of_another_machine_come_as_text) {
  // Directory, environment, umask and limits are those of there; what is read, and what ~ is, of here.
  Surroundings there;
  there.cwd = "/there";
  there.environment = {{"NAME", "value \"of\" there"}, {"EMPTY", ""}};
  there.umask = 077;
  there.rlimits = {{"core", 0}, {"nofile", -1}};
  Surroundings here = capture_surroundings();
  const std::string home = here.home;
  come_from(here, encode_surroundings(there));
  EXPECT_TRUE(here.elsewhere);
  EXPECT_EQ(here.cwd, there.cwd);
  EXPECT_EQ(here.environment, there.environment);
  EXPECT_EQ(here.umask, there.umask);
  EXPECT_EQ(here.rlimits, there.rlimits);
  EXPECT_EQ(here.home, home);
  EXPECT_THROW(come_from(here, "Welcome to there!\n{}"), Error);
  EXPECT_THROW(come_from(here, R"({"cwd":"/","environment":{},"umask":512,"rlimits":{}})"), Error);
}

TEST(Surroundings, do_not_say_which_machine_is_asked) {
  // A job that took FQ_HOST along would ask elsewhere than where it runs.
  ::setenv("FQ_HOST", "elsewhere", 1);
  EXPECT_FALSE(capture_surroundings().environment.contains("FQ_HOST"));
  ::unsetenv("FQ_HOST");
}

}  // namespace
}  // namespace fq::cli
