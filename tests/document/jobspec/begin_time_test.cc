#include "document/jobspec/begin_time.h"

#include <cstdlib>
#include <ctime>

#include <gtest/gtest.h>

#include "base/text.h"
#include "support/error_text.h"

namespace fq::document {
namespace {

/// 14 March 2019 19:55:48 UTC, a Thursday; 20:55:48 in the zone below.
constexpr double kNow = 1552593348.5;

/// A zone with daylight-saving time for as long as a test runs.
class BeginTime : public ::testing::Test {
 protected:
  void SetUp() override { set_zone("CET-1CEST,M3.5.0,M10.5.0/3"); }
  void TearDown() override {
    ::unsetenv("TZ");
    ::tzset();
  }
  static void set_zone(const char* zone) {
    ::setenv("TZ", zone, 1);
    ::tzset();
  }
  /// The moment as local clocks show it, or what is wrong with the text.
  static std::string shown(std::string_view text, double now = kNow) {
    char line[64];
    const std::string failure = error_text([&] {
      const auto moment = static_cast<std::time_t>(parse_begin_time(text, now));
      std::tm tm{};
      ::localtime_r(&moment, &tm);
      std::strftime(line, sizeof line, "%F %T", &tm);
      return 0;
    });
    return failure == "no error" ? line : failure;
  }
};

TEST_F(BeginTime, Reads_moments) {
  // A begin time is epoch seconds, an offset, a local date with or without time, or the next such time of
  // day.
  const std::pair<const char*, double> cases[] = {
      {"100000000", 1e8},
      {"1552593348.073045", 1552593348.073045},
      {"1552593348.0730457", 1552593348.073046},
      {"1.5e9", 1500000000},
      {"now", kNow},
      {"+0", kNow},
      {"+90s", kNow + 90},
      {"+1.5h", kNow + 5400},
      {"2019-03-14", 1552518000},
      {"2019-03-15 08:00", 1552633200},
      {"2019-03-15T08:00:30", 1552633230},
      {"2019-07-01T00:00", 1561932000},  // summer time
      {"2020-02-29", 1582930800},
      {"2019-07-01T00:00Z", 1561939200},
      {"2019-07-01t00:00:30z", 1561939230},
      {"2019-07-01T00:00-02:30", 1561948200},
      {"2019-07-01T00:00+02:00", 1561932000},
      {"2019-03-31T02:30", 1553995800},  // skipped by the change to summer time: an hour later
      {"20:56", 1552593360},
      {"20:55:48", 1552679748},  // half a second ago: tomorrow
      {"20:55:49", 1552593349},
      {"08:00", 1552633200},
  };
  for (const auto& [text, seconds] : cases) EXPECT_EQ(parse_begin_time(text, kNow), seconds) << text;
  set_zone("UTC");
  EXPECT_EQ(parse_begin_time("2019-03-15", kNow), 1552608000);
}

TEST_F(BeginTime, Says_what_is_wrong_with_a_moment) {
  // What names no moment, or one out of reach, is refused.
  for (const char* text : {"",
                           "2019-13-01",
                           "2019-02-29",
                           "2019-04-31",
                           "2019-00-10",
                           "2019-01-00",
                           "2019-1-1",
                           "2019-01-01T",
                           "2019-01-01T24:00",
                           "2019-01-01T08",
                           "2019-01-01T08:60",
                           "2019-01-01T08:00:60",
                           "2019-01-01T08:00:00Z1",
                           "08:00Z",
                           "2019-02-29T08:00:00Z",
                           "08:00:",
                           "25:00",
                           "08:00:00:00",
                           "inf",
                           "nan",
                           "1x",
                           "1969-12-31",
                           "+",
                           "++5",
                           "+-5",
                           "+inf"}) {
    const std::string message = error_text([&] { return parse_begin_time(text, kNow); });
    EXPECT_TRUE(message.starts_with(fmt::format("begin time '{}': ", text))) << text << ": " << message;
  }
  EXPECT_EQ(error_text([] { return parse_begin_time("-1", kNow); }),
            "begin time '-1': expected a time from 1970 to 9999");
  EXPECT_EQ(error_text([] { return parse_begin_time("253402300800", kNow); }),
            "begin time '253402300800': expected a time from 1970 to 9999");
  EXPECT_EQ(error_text([] { return parse_begin_time("5", kNow); }),
            "begin time '5': seconds since the epoch are more (did you mean '+5m'?)");
  EXPECT_EQ(error_text([] { return parse_begin_time("+inf", kNow); }),
            "begin time '+inf': expected a time from 1970 to 9999");
  EXPECT_EQ(error_text([] { return parse_begin_time("yesterday", kNow); }),
            "begin time 'yesterday': expected a time as '+1h', '18:30', '3pm', 'noon', 'tomorrow 8:00', "
            "'friday', 'Dec 24' or '2026-12-24T18:30'");
}

TEST_F(BeginTime, Reads_words) {
  // Each row is what somebody may write on Thursday, 14 March 2019 at 20:55, and the moment that is meant.
  const std::pair<const char*, const char*> cases[] = {
      {"noon", "2019-03-15 12:00:00"},
      {"NOON", "2019-03-15 12:00:00"},
      {"midnight", "2019-03-15 00:00:00"},
      {"3pm", "2019-03-15 15:00:00"},
      {"11pm", "2019-03-14 23:00:00"},
      {"11 PM", "2019-03-14 23:00:00"},
      {"12am", "2019-03-15 00:00:00"},
      {"12:30pm", "2019-03-15 12:30:00"},
      {"8:00", "2019-03-15 08:00:00"},
      {"at 21:05:06", "2019-03-14 21:05:06"},
      {"today", "2019-03-14 00:00:00"},
      {"today 3pm", "2019-03-14 15:00:00"},
      {"tonight", "2019-03-14 21:00:00"},
      {"tomorrow", "2019-03-15 00:00:00"},
      {"tomorrow 3pm", "2019-03-15 15:00:00"},
      {"3 pm tomorrow", "2019-03-15 15:00:00"},
      {"tomorrow at noon", "2019-03-15 12:00:00"},
      {"tomorrow morning", "2019-03-15 06:00:00"},
      {"friday", "2019-03-15 00:00:00"},
      {"Fri 8am", "2019-03-15 08:00:00"},
      {"thursday", "2019-03-21 00:00:00"},
      {"wed evening", "2019-03-20 18:00:00"},
      {"Dec 24", "2019-12-24 00:00:00"},
      {"24 december, 18:30", "2019-12-24 18:30:00"},
      {"Jan 2", "2020-01-02 00:00:00"},
      {"Mar 14 22:00", "2019-03-14 22:00:00"},
      {"mar 13", "2020-03-13 00:00:00"},
      {"Dec 24 2021 noon", "2021-12-24 12:00:00"},
      {"2021-06-21 8am", "2021-06-21 08:00:00"},
      {"8am 2021-06-21", "2021-06-21 08:00:00"},
      {"2021-06-21t08:00", "2021-06-21 08:00:00"},
      {"in an hour", "2019-03-14 21:55:48"},
      {"2 hours", "2019-03-14 22:55:48"},
      {"in 90 minutes", "2019-03-14 22:25:48"},
      {"3 days from now", "2019-03-17 20:55:48"},
      {"a week", "2019-03-21 20:55:48"},
      {"in 30 seconds", "2019-03-14 20:56:18"},
      {"10min", "2019-03-14 21:05:48"},
      {"2h", "2019-03-14 22:55:48"},
      {"1 hour 30 minutes", "2019-03-14 22:25:48"},
      {"1h and 30min", "2019-03-14 22:25:48"},
      {"next hour", "2019-03-14 21:55:48"},
      {"next week", "2019-03-21 20:55:48"},
      {"in 2 months", "2019-05-14 20:55:48"},
      {"next year", "2020-03-14 20:55:48"},
      {"next friday", "2019-03-22 00:00:00"},
      {"next wednesday 8am", "2019-03-20 08:00:00"},
      {"next monday", "2019-03-18 00:00:00"},
      {"eod", "2019-03-15 17:00:00"},
      {"12/24/2026", "2026-12-24 00:00:00"},
      {"12/24 18:30", "2019-12-24 18:30:00"},
      {"1/2", "2020-01-02 00:00:00"},
  };
  for (const auto& [text, moment] : cases) EXPECT_EQ(shown(text), moment) << text;
  // Days keep their times of day over the change to summer time, on the 31st.
  EXPECT_EQ(shown("tomorrow 8:00", 1553968800), "2019-03-31 08:00:00");
  EXPECT_EQ(shown("sunday noon", 1553896800), "2019-03-31 12:00:00");
}

TEST_F(BeginTime, Refuses_words_that_name_no_moment) {
  // What is said twice, out of order or in part is not guessed at.
  for (const char* text : {"yesterday",
                           "soon",
                           "next",
                           "next noon",
                           "24/12/2026",
                           "13/1",
                           "12/",
                           "2 hours ago",
                           "1 hour and",
                           "noon noon",
                           "friday tomorrow",
                           "at",
                           "tomorrow at",
                           "13pm",
                           "0am",
                           "Dec",
                           "Dec 32",
                           "Feb 30",
                           "24",
                           "24 12",
                           "in",
                           "in 2",
                           "2 parsecs",
                           "-2 hours",
                           "in 2 hours from",
                           "fr",
                           "frid",
                           "tomorrow 2026-12-24T18:00",
                           "3pm 4pm",
                           "2026-12-24T18:00 19:00",
                           "2026-13-24T10:00Z",
                           "2026-00-24T10:00Z",
                           "in 999999999 years",
                           "tonight tomorrow"}) {
    const std::string message = shown(text);
    EXPECT_TRUE(message.starts_with(fmt::format("begin time '{}': expected a time", text)) ||
                std::string_view{text} == "24")
        << text << ": " << message;
  }
}

TEST_F(BeginTime, Reads_times_in_the_past) {
  // Durations count back, what has no date or no year is the last such one, on Thursday, 14 March 2019 at
  // 20:55.
  const auto past = [](std::string_view text) {
    char line[64];
    const std::string failure = error_text([&] {
      const auto moment = static_cast<std::time_t>(parse_past_time(text, kNow));
      std::tm tm{};
      ::localtime_r(&moment, &tm);
      std::strftime(line, sizeof line, "%F %T", &tm);
      return 0;
    });
    return failure == "no error" ? line : failure;
  };
  const std::pair<const char*, const char*> cases[] = {
      {"now", "2019-03-14 20:55:48"},
      {"-1h", "2019-03-14 19:55:48"},
      {"1.5h", "2019-03-14 19:25:48"},
      {"0s", "2019-03-14 20:55:48"},
      {"60", "2019-03-14 20:54:48"},
      {"1552593000", "2019-03-14 20:50:00"},
      {"2 days ago", "2019-03-12 20:55:48"},
      {"-2 days", "2019-03-12 20:55:48"},
      {"1 month ago", "2019-02-14 20:55:48"},
      {"20:00", "2019-03-14 20:00:00"},
      {"21:00", "2019-03-13 21:00:00"},
      {"noon", "2019-03-14 12:00:00"},
      {"today", "2019-03-14 00:00:00"},
      {"yesterday", "2019-03-13 00:00:00"},
      {"yesterday 8am", "2019-03-13 08:00:00"},
      {"friday", "2019-03-08 00:00:00"},
      {"thursday", "2019-03-14 00:00:00"},
      {"Mar 13", "2019-03-13 00:00:00"},
      {"Dec 24", "2018-12-24 00:00:00"},
      {"12/24", "2018-12-24 00:00:00"},
      {"2019-03-01T08:00Z", "2019-03-01 09:00:00"},
      {"tomorrow", "time 'tomorrow': it is still to come"},
      {"2019-03-15", "time '2019-03-15': it is still to come"},
      {"+1h",
       "time '+1h': expected one that has been, as '-1h', '10:00', 'yesterday', 'friday', 'Nov 20', "
       "'2026-11-20T18:30' or seconds since the epoch"},
  };
  for (const auto& [text, moment] : cases) EXPECT_EQ(past(text), moment) << text;
  for (const char* text : {"", "soon", "2 hours", "in 2 hours", "ago", "-", "next friday", "nan"}) {
    EXPECT_TRUE(past(text).starts_with(fmt::format("time '{}': expected one that has been", text)))
        << past(text);
  }
}

}  // namespace
}  // namespace fq::document
