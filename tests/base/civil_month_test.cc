#include "base/civil_month.h"

#include <gtest/gtest.h>

namespace fq::test {
namespace {

TEST(CivilMonth, has_as_many_days_as_the_calendar_says) {
  constexpr double kDay = 86400;
  const Month february = month_of(1709164800, "UTC");  // 2024-02-29
  EXPECT_EQ(february.begin, 1706745600);
  EXPECT_EQ(february.end - february.begin, 29 * kDay);
  EXPECT_EQ(month_of(february.end, "UTC").begin, february.end);
  EXPECT_EQ(month_of(february.end - 1, "UTC"), february);
}

TEST(CivilMonth, begins_at_midnight_of_the_place) {
  constexpr double kHour = 3600;
  const Month utc = month_of(1773000000, "UTC");  // March 2026
  const Month berlin = month_of(1773000000, "Europe/Berlin");
  EXPECT_EQ(utc.begin - berlin.begin, 1 * kHour);
  EXPECT_EQ(utc.end - berlin.end, 2 * kHour);  // summer time
}

TEST(CivilMonth, zones_are_those_of_the_system) {
  EXPECT_TRUE(is_time_zone("UTC"));
  EXPECT_TRUE(is_time_zone("America/New_York"));
  EXPECT_FALSE(is_time_zone("Europe/Berlinn"));
  EXPECT_FALSE(is_time_zone(""));
  EXPECT_FALSE(is_time_zone("../../etc/passwd"));
  EXPECT_EQ(month_of(0, "Nowhere/Land"), month_of(0, "UTC"));
}

}  // namespace
}  // namespace fq::test
