#include "notation/fsd.h"

#include <clocale>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/error.h"

namespace fq::notation {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Fsd, reads_durations) {
  // Numbers in any form of strtod, with any unit of the RFC, are read as seconds.
  const std::pair<std::string, double> cases[] = {
      {"2ms", 0.002},
      {"0.1s", 0.1},
      {"30", 30},
      {"1.2h", 4320},
      {"5m", 300},
      {"0s", 0},
      {"5d", 432000},
      {"inf", kInfinity},
      {"INF", kInfinity},
      {"infinity", kInfinity},
      {"INFINITY", kInfinity},
      {"Infinity", kInfinity},
      {"0", 0},
      {".5h", 1800},
      {"5.", 5},
      {"1e3", 1000},
      {"1e3ms", 1},
      {"+5s", 5},
      {"0x10", 16},
      {"0x1p3m", 480},
      {"007", 7},
      {"1e-400", 0},
      {"1.7e308", 1.7e308},
  };
  for (const auto& [text, seconds] : cases) EXPECT_DOUBLE_EQ(parse_fsd(text), seconds) << text;
}

TEST(Fsd, takes_bare_numbers_as_minutes_where_asked) {
  // For -t a number without unit is minutes; with a unit it is what the unit says.
  const std::pair<std::string, double> cases[] = {{"5", 300},   {"1.5", 90},   {"5s", 5},         {"0", 0},
                                                  {"2h", 7200}, {"30m", 1800}, {"inf", kInfinity}};
  for (const auto& [text, seconds] : cases) EXPECT_DOUBLE_EQ(parse_minutes_or_fsd(text), seconds) << text;
}

std::string parse_error(const std::string& text, double (*parse)(std::string_view) = parse_fsd) {
  try {
    return fmt::format("read as {}", parse(text));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Kind::invalid);
    return error.what();
  }
}

TEST(Fsd, refuses_what_is_no_duration) {
  // Each text is refused, and the message says what would be right.
  const std::string expected = "expected a number with one of the units ms, s, m, h or d, or inf";
  const std::string units = "expected ms, s, m, h or d";
  const std::pair<std::string, std::string> cases[] = {
      {"", "invalid duration '': " + expected},
      {"x", "invalid duration 'x': " + expected},
      {"s", "invalid duration 's': " + expected},
      {" 5", "invalid duration ' 5': " + expected},
      {"nan", "invalid duration 'nan': " + expected},
      {"NaN(1)s", "invalid duration 'NaN(1)s': " + expected},
      {"+", "invalid duration '+': " + expected},
      {"+-5", "invalid duration '+-5': " + expected},
      {"5x", "invalid duration '5x': unknown unit 'x', " + units},
      {"5 s", "invalid duration '5 s': unknown unit ' s', " + units},
      {"5S", "invalid duration '5S': unknown unit 'S', " + units},
      {"5H", "invalid duration '5H': unknown unit 'H', " + units},
      {"5mss", "invalid duration '5mss': unknown unit 'mss', " + units},
      {"5m30s", "invalid duration '5m30s': unknown unit 'm30s', " + units},
      {"1:30", "invalid duration '1:30': unknown unit ':30', " + units},
      {"1,5h", "invalid duration '1,5h': unknown unit ',5h', " + units},
      {std::string{"5\0s", 3}, "invalid duration '5\\x00s': unknown unit '\\x00s', " + units},
      {"-1", "invalid duration '-1': a duration cannot be negative"},
      {"-inf", "invalid duration '-inf': a duration cannot be negative"},
      {"infs", "invalid duration 'infs': an infinite duration takes no unit"},
      {"infinityd", "invalid duration 'infinityd': an infinite duration takes no unit"},
      {"1e999", "invalid duration '1e999': too large, write inf for a duration without end"},
      {"1e308d", "invalid duration '1e308d': too large, write inf for a duration without end"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(parse_error(text), message);
  EXPECT_EQ(parse_error("1e307", parse_minutes_or_fsd),
            "invalid duration '1e307': too large, write inf for a duration without end");
}

TEST(Fsd, formats_as_listings_do) {
  // The largest unit that gives 1 or more, with the digits that job listings have.
  const std::pair<double, std::string> cases[] = {
      {0, "0s"},           {0.0009, "0s"},      {-5, "0s"},         {std::nan(""), "0s"}, {0.001, "0.001s"},
      {0.052, "0.052s"},   {0.99812, "0.998s"}, {6.0813, "6.081s"}, {9.9999, "10.000s"},  {12.3456, "12.35s"},
      {59, "59s"},         {60, "1m"},          {90, "1.5m"},       {593.94, "9.899m"},   {600, "10m"},
      {1800, "30m"},       {3600, "1h"},        {14400, "4h"},      {86400, "1d"},        {216000, "2.5d"},
      {86400e6, "1e+06d"}, {kInfinity, "inf"},
  };
  for (const auto& [seconds, text] : cases) EXPECT_EQ(format_fsd(seconds), text) << seconds;
}

TEST(Fsd, formats_to_a_number_of_digits) {
  // Six digits unless asked otherwise, milliseconds below a tenth of a second.
  const std::pair<double, std::string> cases[] = {
      {0, "0s"},
      {0.0621, "62.1ms"},
      {1.23e-05, "0.0123ms"},
      {0.1, "0.1s"},
      {59.5, "59.5s"},
      {61, "1.01667m"},
      {600, "10m"},
      {5400, "1.5h"},
      {86400, "1d"},
      {100000, "1.15741d"},
      {kInfinity, "infinity"},
  };
  for (const auto& [seconds, text] : cases) EXPECT_EQ(format_fsd_digits(seconds), text) << seconds;
  EXPECT_EQ(format_fsd_digits(61, 2), "1m");
  EXPECT_EQ(format_fsd_digits(61, 17), "1.0166666666666666m");
}

TEST(Fsd, reads_what_it_formats) {
  // With all digits a duration comes back as it was; in a listing within what four digits can say.
  EXPECT_TRUE(rc::check([] {
    const double seconds = *rc::gen::inRange<std::int64_t>(1'000, 1'000'000'000'000) * 1e-6;
    RC_ASSERT(std::abs(parse_fsd(format_fsd_digits(seconds, 17)) - seconds) <= 1e-14 * seconds);
    RC_ASSERT(std::abs(parse_fsd(format_fsd(seconds)) - seconds) <= std::max(0.0005001, 0.0005001 * seconds));
  }));
}

TEST(Fsd, does_not_follow_the_locale) {
  // A locale with a decimal comma changes neither reading nor writing.
  const char* const locale = std::setlocale(LC_NUMERIC, "de_DE.UTF-8");
  if (locale == nullptr) GTEST_SKIP() << "no locale with a decimal comma is installed";
  const double seconds = parse_fsd("1.5m");
  const std::string text = format_fsd(seconds);
  std::setlocale(LC_NUMERIC, "C");
  EXPECT_EQ(seconds, 90);
  EXPECT_EQ(text, "1.5m");
}

}  // namespace
}  // namespace fq::notation
