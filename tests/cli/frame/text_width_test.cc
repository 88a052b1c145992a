#include "cli/frame/text_width.h"

#include <gtest/gtest.h>

namespace fq::cli {
namespace {

TEST(TextWidth, counts_columns) {
  // ASCII, Latin, wide, emoji and combining code points take the columns that terminals give them.
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("ƒ25jAcZD"), 8U);
  EXPECT_EQ(display_width("✔✗"), 2U);
  EXPECT_EQ(display_width("日本語"), 6U);
  EXPECT_EQ(display_width("한글"), 4U);
  EXPECT_EQ(display_width("😀x"), 3U);
  EXPECT_EQ(display_width("e\u0301\u200b"), 1U);
  EXPECT_EQ(cut_to_width("日本語", 5), "日本");
  EXPECT_EQ(cut_to_width("ƒƒ", 0), "");
  EXPECT_EQ(cut_to_width("ab", 9), "ab");
}

TEST(TextWidth, leaves_printable_text_alone) {
  // Printable text is handed back without a copy; the rest is built in the scratch string.
  std::string scratch = "unused";
  const std::string_view text = "ƒ日";
  EXPECT_EQ(masked(text, scratch).data(), text.data());
  EXPECT_EQ(scratch, "unused");
  EXPECT_EQ(masked("a\tb", scratch), "a?b");
  EXPECT_EQ(masked("\xed\xa0\x80\xf4\x90\x80\x80\xc0\xaf", scratch), "?????????");
}

}  // namespace
}  // namespace fq::cli
