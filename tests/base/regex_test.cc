#include "base/regex.h"

#include <string>

#include <gtest/gtest.h>

#include "support/error_text.h"

namespace fq {
namespace {

std::string repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Regex, finds_and_anchors) {
  // Anywhere, unless the expression anchors itself; at the start, whatever comes behind.
  EXPECT_TRUE(Regex("ram").found_in("frame-1"));
  EXPECT_FALSE(Regex("^ram").found_in("frame-1"));
  EXPECT_TRUE(Regex("^(a|frame)-[0-9]+$").found_in("frame-17"));
  EXPECT_TRUE(Regex("[[:digit:]]{2}$").found_in("frame-17"));
  EXPECT_TRUE(Regex("\\bame|\\d").found_in("frame-1"));
  EXPECT_TRUE(Regex("(?i)FRAME").found_in("frame"));
  EXPECT_TRUE(Regex("^.{4}$").found_in("nämé"));
  EXPECT_TRUE(Regex("fr|x").fits_start_of("frame"));
  EXPECT_FALSE(Regex("ame").fits_start_of("frame"));
  EXPECT_TRUE(Regex("").fits_start_of(""));
}

TEST(Regex, says_what_is_wrong_in_one_line) {
  const auto failure = [](const std::string& pattern) { return error_text([&] { Regex regex(pattern); }); };
  EXPECT_EQ(failure("a(b"), "'a(b' is not a regular expression: missing )");
  EXPECT_EQ(failure("a**b"), "'a**b' is not a regular expression: bad repetition operator at '**'");
  EXPECT_EQ(failure("(a)\\1"), "'(a)\\1' is not a regular expression: invalid escape sequence at '\\1'");
  EXPECT_EQ(failure("x\n["), "'x\\n[' is not a regular expression: missing ] at '['");
  EXPECT_EQ(failure("\xff"), "'\\xff' is not a regular expression: invalid UTF-8");
  EXPECT_EQ(failure(repeat("ä", 99) + "("),
            "'" + repeat("ä", 40) + "'... is not a regular expression: missing )");
}

TEST(Regex, no_expression_takes_the_stack_or_the_day) {
  // Nested, repeated, or with returns that a search could follow for ever: an answer or a refusal.
  const auto answer = [](const std::string& pattern, const std::string& text) {
    return error_text([&] { throw error(Kind::invalid, "{}", Regex(pattern).found_in(text)); });
  };
  EXPECT_EQ(answer(repeat("(", 100'000) + "a" + repeat(")", 100'000), "ba"), "true");
  EXPECT_EQ(answer(repeat("(", 100'000), "a"),
            "'" + repeat("(", 80) + "'... is not a regular expression: missing )");
  EXPECT_EQ(answer(repeat("[", 100'000), "a"),
            "'" + repeat("[", 80) + "'... is not a regular expression: missing ]");
  EXPECT_EQ(answer("a{1000}{1000}{1000}", "a"),
            "'a{1000}{1000}{1000}' is not a regular expression: bad repetition operator at '{1000}{1000}'");
  EXPECT_EQ(answer("((a{1000}){1000}){1000}", "a"),
            "'((a{1000}){1000}){1000}' is not a regular expression: invalid repetition size at '{1000}'");
  EXPECT_EQ(answer("(\\pL{900}){900}", "a"),
            "'(\\pL{900}){900}' is not a regular expression: invalid repetition size at '{900}'");
  EXPECT_EQ(answer("(\\pL){900}", "a"),
            "'(\\pL){900}' is not a regular expression: pattern too large - compile failed");
  EXPECT_EQ(answer("((a*)*)*b$", repeat("a", 100'000)), "false");
  EXPECT_EQ(answer("(a|aa)+$", repeat("a", 100'000) + "b"), "false");
  EXPECT_EQ(answer(repeat("a|", 50'000), "b"), "true");
}

}  // namespace
}  // namespace fq
