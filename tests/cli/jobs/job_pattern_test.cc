#include "cli/jobs/job_pattern.h"

#include <gtest/gtest.h>

#include "support/error_text.h"

namespace fq::cli {
namespace {

bool fits(const std::vector<std::string>& words, const std::string& name, std::uint64_t id = 5) {
  job::Job job;
  job.id = {id};
  job.name = name;
  return JobPattern(words).matches(job);
}

TEST(JobPattern, looks_for_an_expression_in_the_name) {
  // Anywhere, unless anchored.
  EXPECT_TRUE(fits({"ram"}, "frame-1"));
  EXPECT_FALSE(fits({"^ram"}, "frame-1"));
  EXPECT_TRUE(fits({"^(a|frame)-[0-9]+$"}, "frame-17"));
  EXPECT_FALSE(fits({"FRAME"}, "frame"));
  EXPECT_TRUE(fits({"ä"}, "näme"));
}

TEST(JobPattern, ranges_hold_both_ends) {
  // In any form of id; with an expression both must fit.
  EXPECT_TRUE(fits({"5..7"}, "x"));
  EXPECT_TRUE(fits({"0x3..f6"}, "x"));
  EXPECT_FALSE(fits({"6..7"}, "x"));
  EXPECT_FALSE(fits({"5..7", "y"}, "x"));
  EXPECT_TRUE(fits({"y", "5..7"}, "y"));
}

TEST(JobPattern, a_name_that_looks_like_a_range) {
  EXPECT_TRUE(fits({"name:5..7"}, "a5xx7b"));
  EXPECT_FALSE(fits({"name:5..7"}, "x"));
  EXPECT_TRUE(fits({"a..b"}, "axxb"));
}

TEST(JobPattern, says_what_is_wrong) {
  const auto failure = [](std::vector<std::string> words) {
    return fq::error_text([&] { JobPattern pattern(words); });
  };
  EXPECT_EQ(failure({"a(b"}), "'a(b' is not a regular expression: missing )");
  EXPECT_EQ(failure({"7..5"}), "range '7..5': its end comes before its start");
  EXPECT_EQ(failure({"1..2", "3..4"}), "only one range of job ids can be given, got '3..4' too");
  EXPECT_EQ(failure({"a", "b"}), "only one expression can be given, got 'b' too ('a|b' fits either)");
  EXPECT_EQ(failure({"name:"}), "the expression is empty ('.' fits any name)");
}

}  // namespace
}  // namespace fq::cli
