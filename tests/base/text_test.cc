#include "base/text.h"

#include <array>

#include <gtest/gtest.h>

#include "base/error.h"

namespace fq {
namespace {

TEST(Text, near_matches_share_something) {
  // A third of the letters, or one, may differ; not all of them.
  static const std::array<std::string, 4> kCandidates{"R", "submit", "job", "jobs"};
  const auto near = [](std::string_view word) { return near_match(word, kCandidates).value_or("-"); };
  EXPECT_EQ(near("sumbit"), "submit");
  EXPECT_EQ(near("jobz"), "job");
  EXPECT_EQ(near("r"), "-");
  EXPECT_EQ(near(""), "-");
  EXPECT_EQ(near("Rr"), "R");
  EXPECT_EQ(near("frobnicate"), "-");
  EXPECT_EQ(did_you_mean("sumbit", kCandidates), "did you mean 'submit'?");
  EXPECT_EQ(did_you_mean("x", kCandidates), "");
}

TEST(Text, what_users_wrote_becomes_one_line_that_does_nothing_to_a_terminal) {
  // Control characters, those of U+0080 to U+009F included, and what is no UTF-8; the rest stays.
  EXPECT_EQ(printable("a\nb\tc\x1b[31m\x7f"), "a\\nb\\tc\\x1b[31m\\x7f");
  EXPECT_EQ(printable("\xc2\x9b" "31m \xc2\xa0 \xff \xc6\x92"), "\\xc2\\x9b31m \xc2\xa0 \\xff \xc6\x92");
  EXPECT_EQ(quote("it's\n"), "'it's\\n'");
}

TEST(Text, every_error_is_one_line) {
  // Message and hint, also with something put before them.
  const Error failure{Kind::invalid, "queue a\nb", "one\ntwo"};
  EXPECT_EQ(std::string{failure.what()} + " (" + failure.hint() + ")", "queue a\\nb (one\\ntwo)");
  EXPECT_EQ(std::string{failure.within("x\n").what()}, "x\\n: queue a\\nb");
}

}  // namespace
}  // namespace fq
