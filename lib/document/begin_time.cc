#include "document/begin_time.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "notation/fsd.h"

namespace fq::document {
namespace {

constexpr int kHoursOfDay = 24;

struct Day {
  int year, month, day;  ///< the year counts from 0, the month from 1
};
struct TimeOfDay {
  int hour = 0, minute = 0, second = 0;
};

std::optional<double> parse_seconds(std::string_view text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// The decimal number that is all of `text`, of `least` to `most` digits.
std::optional<int> parse_digits(std::string_view text, std::size_t least, std::size_t most) {
  if (text.size() < least || text.size() > most) return std::nullopt;
  const auto number = parse_u64(text);
  if (!number) return std::nullopt;
  return static_cast<int>(*number);
}

/// The place in `names` of the one that `word` is, or begins with at least three letters of.
template <std::size_t N>
std::optional<int> find_name(const std::array<std::string_view, N>& names, std::string_view word) {
  constexpr std::size_t kLeast = 3;
  if (word.size() < kLeast) return std::nullopt;
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == word || (word.size() == kLeast && names[i].starts_with(word))) return static_cast<int>(i);
  }
  return std::nullopt;
}

constexpr std::array<std::string_view, 12> kMonths{"january",   "february", "march",    "april",
                                                   "may",       "june",     "july",     "august",
                                                   "september", "october",  "november", "december"};
constexpr std::array<std::string_view, 7> kWeekdays{"sunday",   "monday", "tuesday", "wednesday",
                                                    "thursday", "friday", "saturday"};

struct NamedTime {
  std::string_view name;
  int hour;
};
constexpr std::array kTimes{NamedTime{"midnight", 0},   NamedTime{"morning", 6},  NamedTime{"noon", 12},
                            NamedTime{"afternoon", 13}, NamedTime{"evening", 18}, NamedTime{"night", 21}};

std::optional<Day> parse_iso_day(std::string_view word) {
  const auto parts = split(word, '-');
  if (parts.size() != 3) return std::nullopt;
  const auto year = parse_digits(parts[0], 4, 4), month = parse_digits(parts[1], 2, 2),
             day = parse_digits(parts[2], 2, 2);
  if (!year || !month || !day) return std::nullopt;
  return Day{*year, *month, *day};
}

/// 18:30, 18:30:05, 6:30pm, 6pm.
std::optional<TimeOfDay> parse_clock(std::string_view word) {
  const bool am = word.ends_with("am"), pm = word.ends_with("pm");
  const bool halves = am || pm;
  if (halves) word.remove_suffix(2);
  const auto parts = split(word, ':');
  if (parts.size() > 3 || (parts.size() == 1 && !halves)) return std::nullopt;
  std::array<int, 3> numbers{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto number = parse_digits(parts[i], i == 0 ? 1 : 2, 2);
    if (!number || *number >= (i == 0 ? kHoursOfDay : 60)) return std::nullopt;
    numbers[i] = *number;
  }
  if (halves) {
    if (numbers[0] < 1 || numbers[0] > 12) return std::nullopt;
    numbers[0] = numbers[0] % 12 + (pm ? 12 : 0);
  }
  return TimeOfDay{numbers[0], numbers[1], numbers[2]};
}

std::tm local_day(double now) {
  const auto seconds = static_cast<std::time_t>(now);
  std::tm tm{};
  ::localtime_r(&seconds, &tm);
  return tm;
}

/// The moment, or nothing when the day is not in its month.
std::optional<double> local_moment(const Day& day, const TimeOfDay& time) {
  std::tm tm{};
  tm.tm_year = day.year - 1900;
  tm.tm_mon = day.month - 1;
  tm.tm_mday = day.day;
  tm.tm_hour = time.hour;
  tm.tm_min = time.minute;
  tm.tm_sec = time.second;
  const std::tm asked = tm;
  tm.tm_isdst = -1;
  const std::time_t seconds = std::mktime(&tm);
  if (tm.tm_mday != asked.tm_mday || tm.tm_mon != asked.tm_mon) return std::nullopt;
  return static_cast<double>(seconds);
}

/// A date, a time, or both, word by word.
class Words {
 public:
  Words(std::string_view text, double now) : now_(now), today_(local_day(now)) {
    std::string word;
    for (const char c : text) {
      if (c == ' ' || c == ',' || c == '\t') {
        if (!word.empty()) words_.push_back(std::exchange(word, {}));
      } else {
        word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      }
    }
    if (!word.empty()) words_.push_back(word);
  }

  std::optional<double> moment() {
    if (const auto later = duration()) return later;
    while (at_ < words_.size()) {
      if (!day_ && take_day()) continue;
      if (!time_ && take_time()) continue;
      return std::nullopt;
    }
    if (!day_ && !time_) return std::nullopt;
    if (day_) return local_moment(*day_, time_.value_or(TimeOfDay{}));
    for (const int days : {0, 1}) {
      const auto moment = local_moment(day_after(days), *time_);
      if (moment && *moment > now_) return moment;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::string_view word(std::size_t ahead = 0) const {
    return at_ + ahead < words_.size() ? std::string_view{words_[at_ + ahead]} : std::string_view{};
  }

  /// [in] N UNIT [from now]
  [[nodiscard]] std::optional<double> duration() const {
    auto words = words_;
    if (!words.empty() && words.front() == "in") words.erase(words.begin());
    if (words.size() == 4 && words[2] == "from" && words[3] == "now") words.resize(2);
    if (words.size() != 2) return std::nullopt;
    const bool one = words[0] == "a" || words[0] == "an";
    const auto count = one ? std::optional{1} : parse_digits(words[0], 1, 9);
    std::string_view unit = words[1];
    if (unit.ends_with('s')) unit.remove_suffix(1);
    constexpr std::array<std::pair<std::string_view, int>, 7> kUnits{{{"second", 1},
                                                                      {"minute", 60},
                                                                      {"min", 60},
                                                                      {"hour", 3600},
                                                                      {"hr", 3600},
                                                                      {"day", 86400},
                                                                      {"week", 7 * 86400}}};
    const auto found =
        std::find_if(kUnits.begin(), kUnits.end(), [&](const auto& known) { return known.first == unit; });
    if (!count || found == kUnits.end()) return std::nullopt;
    return now_ + static_cast<double>(*count) * found->second;
  }

  [[nodiscard]] Day day_after(int days) const {
    std::tm tm = today_;
    tm.tm_mday += days;
    tm.tm_hour = 12;  // there is a noon on every day
    tm.tm_isdst = -1;
    std::mktime(&tm);
    return {tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday};
  }

  bool take_day() {
    const std::string_view first = word();
    if (first == "today" || first == "tomorrow") return set_day(day_after(first == "today" ? 0 : 1), 1);
    if (const auto weekday = find_name(kWeekdays, first)) {
      const int days = (*weekday - today_.tm_wday + 7) % 7;
      return set_day(day_after(days == 0 ? 7 : days), 1);
    }
    // 2026-12-24T18:30 is two words in one.
    const std::size_t t = first.find('t');
    if (const auto day = parse_iso_day(first.substr(0, t))) {
      if (t == std::string_view::npos) return set_day(*day, 1);
      const auto time = parse_clock(first.substr(t + 1));
      if (!time || time_) return false;
      time_ = time;
      return set_day(*day, 1);
    }
    return take_month_day();
  }

  /// Dec 24 [2026], 24 Dec [2026]; without a year the next one.
  bool take_month_day() {
    auto month = find_name(kMonths, word());
    auto day = parse_digits(word(1), 1, 2);
    if (!month) {
      month = find_name(kMonths, word(1));
      day = parse_digits(word(), 1, 2);
    }
    if (!month || !day) return false;
    if (const auto year = parse_digits(word(2), 4, 4)) return set_day({*year, *month + 1, *day}, 3);
    const Day this_year{today_.tm_year + 1900, *month + 1, *day};
    const bool over = std::pair{*month, *day} < std::pair{today_.tm_mon, today_.tm_mday};
    return set_day({this_year.year + (over ? 1 : 0), this_year.month, this_year.day}, 2);
  }

  bool set_day(const Day& day, std::size_t words) {
    day_ = day;
    at_ += words;
    return true;
  }

  bool take_time() {
    const std::size_t skip = word() == "at" ? 1 : 0;
    const std::string_view name = word(skip);
    if (name == "tonight" && !day_) {
      day_ = day_after(0);
      return set_time(TimeOfDay{21}, skip + 1);
    }
    const auto known =
        std::find_if(kTimes.begin(), kTimes.end(), [&](const NamedTime& t) { return t.name == name; });
    if (known != kTimes.end()) return set_time(TimeOfDay{known->hour}, skip + 1);
    const std::string_view half = word(skip + 1);
    if (half == "am" || half == "pm") {
      const auto time = parse_clock(std::string{name} + std::string{half});
      return time && set_time(*time, skip + 2);
    }
    const auto time = parse_clock(name);
    return time && set_time(*time, skip + 1);
  }

  bool set_time(const TimeOfDay& time, std::size_t words) {
    time_ = time;
    at_ += words;
    return true;
  }

  double now_;
  std::tm today_;
  std::vector<std::string> words_;
  std::size_t at_ = 0;
  std::optional<Day> day_;
  std::optional<TimeOfDay> time_;
};

std::optional<double> parse_moment(std::string_view text, double now) {
  if (text == "now") return now;
  if (text.starts_with('+') && !text.substr(1).starts_with('+'))
    return now + notation::parse_fsd(text.substr(1));
  if (const auto seconds = parse_seconds(text)) return seconds;
  return Words{text, now}.moment();
}

}  // namespace

double to_microseconds(double seconds) {
  const std::string text = format_timestamp(seconds);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

double parse_epoch(std::string_view text) {
  const auto seconds = parse_seconds(text);
  if (!seconds || *seconds < 0 || *seconds >= kEndOfTime) {
    throw error(Kind::invalid, "expected seconds since the epoch, before the year 10000, got {}",
                quote(text));
  }
  return to_microseconds(*seconds);
}

double parse_begin_time(std::string_view text, double now) {
  std::optional<double> moment;
  try {
    moment = parse_moment(text, now);
  } catch (const Error& failure) {
    throw failure.within(fmt::format("begin time {}", quote(text)));
  }
  if (!moment) {
    throw Error{Kind::invalid, fmt::format("begin time {}: expected a time as '+1h', '18:30', '3pm', 'noon', "
                                           "'tomorrow 8:00', 'friday', 'Dec 24' or '2026-12-24T18:30'",
                                           quote(text))};
  }
  if (!(*moment >= 0 && *moment < kEndOfTime)) {
    throw error(Kind::invalid, "begin time {}: expected a time from 1970 to 9999", quote(text));
  }
  return to_microseconds(*moment);
}

}  // namespace fq::document
