#include "cli/frame/terminal.h"

#include <gtest/gtest.h>

namespace fq::cli {
namespace {

TEST(Terminal, decides_on_colour) {
  // Asked for, refused, or a terminal that is not dumb while NO_COLOR is not set.
  EXPECT_TRUE(use_color(ColorWhen::always, false, "1", "dumb"));
  EXPECT_FALSE(use_color(ColorWhen::never, true, nullptr, "xterm"));
  EXPECT_TRUE(use_color(ColorWhen::automatic, true, nullptr, "xterm"));
  EXPECT_TRUE(use_color(ColorWhen::automatic, true, "", nullptr));
  EXPECT_FALSE(use_color(ColorWhen::automatic, true, "1", "xterm"));
  EXPECT_FALSE(use_color(ColorWhen::automatic, true, nullptr, "dumb"));
  EXPECT_FALSE(use_color(ColorWhen::automatic, false, nullptr, "xterm"));
}

}  // namespace
}  // namespace fq::cli
