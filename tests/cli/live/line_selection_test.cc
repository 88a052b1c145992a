#include "cli/live/line_selection.h"

#include <gtest/gtest.h>

namespace fq::cli {
namespace {

using Lines = std::vector<LineSelection::Line>;

const std::string kText = "head\none\n\033[32mtwo\033[0m 2\nthree\nfour\nfive\n";
const Lines kLines{{1, {11}}, {2, {12}}, {4, {14}}, {5, {15}}};

std::uint64_t chosen(const LineSelection& selection) {
  return selection.chosen(kLines).value_or(notation::JobId{}).value;
}

TEST(LineSelection, arrows_go_from_line_to_line) {
  // Down begins with the first; lines of no job are passed over, and at either end nothing changes.
  LineSelection selection;
  static_cast<void>(selection.mark(kText, kLines));
  std::vector<std::uint64_t> way;
  for (const bool down : {true, true, true, true, true, false, false, false, false}) {
    selection.move(down, kLines, 10);
    way.push_back(chosen(selection));
  }
  EXPECT_EQ(way, (std::vector<std::uint64_t>{11, 12, 14, 15, 15, 14, 12, 11, 11}));
  LineSelection up;
  static_cast<void>(up.mark(kText, kLines));
  up.move(false, kLines, 10);
  EXPECT_EQ(chosen(up), 15U);
}

TEST(LineSelection, what_the_screen_leaves_out_is_not_chosen) {
  // Of six lines a screen of four shows the first two, how many there are more, and the last.
  LineSelection selection;
  static_cast<void>(selection.mark(kText, kLines));
  selection.move(true, kLines, 4);
  EXPECT_EQ(chosen(selection), 11U);
  selection.move(true, kLines, 4);
  EXPECT_EQ(chosen(selection), 15U);
}

TEST(LineSelection, the_line_is_shown_in_reverse) {
  // Without its colours, whose end would end that, too; a job that is gone marks nothing.
  LineSelection selection;
  EXPECT_EQ(selection.mark(kText, kLines), kText);
  selection.move(true, kLines, 10);
  selection.move(true, kLines, 10);
  EXPECT_EQ(selection.mark(kText, kLines), "head\none\n\033[7mtwo 2\033[27m\nthree\nfour\nfive\n");
  EXPECT_EQ(selection.mark(kText, {{1, {11}}}), kText);
  EXPECT_FALSE(selection.chosen({{1, {11}}}).has_value());
}

}  // namespace
}  // namespace fq::cli
