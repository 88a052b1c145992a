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
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m \xc2\xa0 \xff \xc6\x92"),
            "\\xc2\\x9b31m \xc2\xa0 \\xff \xc6\x92");
  // Overrides of direction, marks, separators, a byte order mark; letters of scripts that need none stay.
  EXPECT_EQ(printable("a\u202Eb\u2066c\u200Fd\u2028e\uFEFF"),
            "a\\xe2\\x80\\xaeb\\xe2\\x81\\xa6c\\xe2\\x80\\x8fd\\xe2\\x80\\xa8e\\xef\\xbb\\xbf");
  EXPECT_EQ(printable("שלום 日本 \u200D é"), "שלום 日本 \u200D é");
  // Surrogates, over-long forms, what lies past the last code point, a sequence that was cut.
  EXPECT_EQ(printable("\xed\xa0\x80 \xc0\xaf \xf4\x90\x80\x80 \xe2\x82"),
            "\\xed\\xa0\\x80 \\xc0\\xaf \\xf4\\x90\\x80\\x80 \\xe2\\x82");
  EXPECT_EQ(quote("it's\n"), "'it's\\n'");
}

TEST(Text, cuts_what_it_quotes_between_characters) {
  EXPECT_EQ(quote_cut(std::string(80, 'a')), "'" + std::string(80, 'a') + "'");
  EXPECT_EQ(quote_cut(std::string(81, 'a')), "'" + std::string(80, 'a') + "'...");
  EXPECT_EQ(quote_cut(std::string(79, 'a') + "\u20AC\u20AC"), "'" + std::string(79, 'a') + "\u20AC'...");
}

TEST(Text, every_error_is_one_line) {
  // Message and hint, also with something put before them.
  const Error failure{Kind::invalid, "queue a\nb", "one\ntwo"};
  EXPECT_EQ(std::string{failure.what()} + " (" + failure.hint() + ")", "queue a\\nb (one\\ntwo)");
  EXPECT_EQ(std::string{failure.within("x\n").what()}, "x\\n: queue a\\nb");
}

}  // namespace
}  // namespace fq
