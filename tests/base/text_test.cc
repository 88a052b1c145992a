#include "base/text.h"

#include <array>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace fq
