#include "base/clock.h"

#include <charconv>
#include <limits>
#include <utility>

#include <gtest/gtest.h>

namespace fq {
namespace {

TEST(Clock, Prints_timestamps_to_the_microsecond) {
  // A timestamp has at most six decimals and no trailing zero, however large it is.
  const std::pair<double, const char*> cases[] = {
      {0, "0"},
      {1, "1"},
      {0.0000004, "0"},
      {0.000001, "0.000001"},
      {1552593348.073045, "1552593348.073045"},
      {1552593348.5, "1552593348.5"},
      {1795257930.9999999, "1795257931"},
      {9007199254740992.0, "9007199254740992"},
  };
  for (const auto& [timestamp, text] : cases) EXPECT_EQ(format_timestamp(timestamp), text);
  EXPECT_EQ(format_timestamp(std::numeric_limits<double>::max()).size(), 309U);
}

TEST(Clock, Timestamps_read_back_print_the_same) {
  // Printing what was read from a printed timestamp gives the same text, in every magnitude.
  for (double timestamp = 1.0 / 3; timestamp < 1e18; timestamp *= 7.7) {
    const std::string text = format_timestamp(timestamp);
    double again = 0;
    std::from_chars(text.data(), text.data() + text.size(), again);
    EXPECT_EQ(format_timestamp(again), text);
  }
}

}  // namespace
}  // namespace fq
