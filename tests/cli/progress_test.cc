#include "cli/progress.h"

#include <gtest/gtest.h>

namespace fq::cli {
namespace {

class ManualClock final : public Clock {
 public:
  double now_s = 0;
  [[nodiscard]] double now() const override { return now_s; }
  [[nodiscard]] double boot_time() const override { return now_s; }
};

TEST(Progress, draws_in_place_and_erases_itself) {
  // Drawn at once, then at most ten times a second and at the end; cut to the terminal; erased when done.
  ManualClock clock;
  std::string screen;
  {
    Progress progress{"submitting", 500, clock, 80, [&](std::string_view text) { screen += text; }};
    progress.update(1);
    clock.now_s = 0.05;
    progress.update(2);
    clock.now_s = 0.11;
    progress.update(3);
    progress.clear();
    progress.clear();
    progress.update(500);
  }
  EXPECT_EQ(
      screen,
      "\r\033[Ksubmitting 1 of 500\r\033[Ksubmitting 3 of 500\r\033[K\r\033[Ksubmitting 500 of 500\r\033[K");
  screen.clear();
  {
    Progress narrow{"submitting", 500, clock, 11, [&](std::string_view text) { screen += text; }};
    narrow.update(1);
  }
  EXPECT_EQ(screen, "\r\033[Ksubmitting\r\033[K");
}

}  // namespace
}  // namespace fq::cli
