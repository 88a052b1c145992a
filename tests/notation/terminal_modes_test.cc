#include "notation/terminal_modes.h"

#include <gtest/gtest.h>

namespace fq::notation {
namespace {

TEST(TerminalModes, WhatIsSetIsSetForWhoJoinsAndResetForWhoLeaves) {
  // The screen first on the way in, last on the way out; what is as in a fresh terminal is not told.
  TerminalModes modes;
  EXPECT_EQ(modes.enter_text() + modes.leave_text(), "");
  modes.take("text\033[?2004h\033[?1049h\033[?25l\033[?1;1006h\033=more\033[31m\033[2J");
  EXPECT_TRUE(modes.alternate_screen());
  EXPECT_EQ(modes.enter_text(), "\033[?1049h\033[?1h\033[?25l\033[?1006h\033[?2004h\033=");
  EXPECT_EQ(modes.leave_text(), "\033>\033[?2004l\033[?1006l\033[?25h\033[?1l\033[?1049l");
  modes.take("\033[?1049l\033[?25h\033[?1l\033[?1006l\033[?2004l\033>");
  EXPECT_FALSE(modes.alternate_screen());
  EXPECT_EQ(modes.enter_text() + modes.leave_text(), "");
}

TEST(TerminalModes, ASequenceMayBeCutAnywhere) {
  // Byte by byte it gives what it gives at once.
  TerminalModes modes;
  for (const char c : std::string_view{"a\033[?10\033[?1049;25h\033[?25lb"}) modes.take({&c, 1});
  EXPECT_EQ(modes.enter_text(), "\033[?1049h\033[?25l");
}

TEST(TerminalModes, OtherSequencesChangeNothingAndAResetChangesAll) {
  // Unknown modes, modes of ECMA-48 itself, numbers without end; ESC c is a fresh terminal.
  TerminalModes modes;
  modes.take("\033[4h\033[?h\033[?;;l\033[?99999h\033[?" + std::string(100'000, '1') + "h\033[?25$p\033[");
  EXPECT_EQ(modes.enter_text(), "");
  modes.take("\033[?1047h\033c");
  EXPECT_EQ(modes.enter_text(), "");
}

}  // namespace
}  // namespace fq::notation
