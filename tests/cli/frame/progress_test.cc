#include "cli/frame/progress.h"

#include <gtest/gtest.h>

namespace fq::cli {
namespace {

class ManualClock final : public Clock {
 public:
  double now_s = 0;
  [[nodiscard]] double now() const override { return now_s; }
  [[nodiscard]] double boot_time() const override { return now_s; }
};

TEST(Progress, draws_in_place) {
  // Drawn at once, then at most ten times a second and at the end; what is left at the end stays.
  ManualClock clock;
  std::string screen;
  {
    Progress progress{false, clock, 40, [&](std::string_view text) { screen += text; }};
    EXPECT_TRUE(progress.is_shown());
    progress.update("jobs: ", 0, 4);
    clock.now_s = 0.05;
    progress.update("jobs: ", 1, 4);
    clock.now_s = 0.11;
    progress.update("jobs: ", 2, 4);
    clock.now_s = 3723;
    progress.update("jobs: ", 4, 4);
  }
  EXPECT_EQ(screen,
            "\r\033[Kjobs: [                ]   0.0% 0:00:00"
            "\r\033[Kjobs: [=======>        ]  50.0% 0:00:00"
            "\r\033[Kjobs: [================] 100.0% 1:02:03\n");
}

TEST(Progress, makes_room_for_other_text) {
  // Erased before it, drawn again by the next update, however soon.
  ManualClock clock;
  std::string screen;
  Progress progress{false, clock, 30, [&](std::string_view text) { screen += text; }};
  progress.update("", 1, 2);
  progress.clear();
  progress.clear();
  EXPECT_EQ(screen, "\r\033[K[=====>      ]  50.0% 0:00:00\r\033[K");
  progress.update("", 1, 2);
  EXPECT_EQ(screen.substr(screen.rfind('\r')), "\r\033[K[=====>      ]  50.0% 0:00:00");
  progress.clear();
}

TEST(Progress, shows_a_rate_instead_of_the_time) {
  // Jobs a second since the beginning; none when no time has passed.
  ManualClock clock;
  std::string screen;
  {
    Progress progress{true, clock, 40, [&](std::string_view text) { screen = text; }};
    progress.update("", 0, 10);
    EXPECT_EQ(screen, "\r\033[K[                    ]   0.0% 0.0 job/s");
    clock.now_s = 2;
    progress.update("", 5, 10);
    EXPECT_EQ(screen, "\r\033[K[=========>          ]  50.0% 2.5 job/s");
    progress.clear();
  }
  EXPECT_EQ(screen, "\r\033[K");
}

TEST(Progress, leaves_out_the_bar_where_there_is_no_room) {
  // The text is cut to the terminal, so that it never wraps.
  ManualClock clock;
  std::string screen;
  Progress progress{false, clock, 20, [&](std::string_view text) { screen = text; }};
  progress.update("many words: ", 1, 2);
  EXPECT_EQ(screen, "\r\033[Kmany words:   50.0%");
  progress.clear();
}

}  // namespace
}  // namespace fq::cli
