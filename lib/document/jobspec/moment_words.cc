#include "document/jobspec/moment_words.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace fq::document {
namespace {

constexpr int kHoursOfDay = 24;

struct Day {
  int year, month, day;  ///< the year counts from 0, the month from 1
};
struct TimeOfDay {
  int hour = 0, minute = 0, second = 0;
};

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
constexpr std::array kTimes{NamedTime{"midnight", 0}, NamedTime{"morning", 6},    NamedTime{"noon", 12},
                            NamedTime{"eod", 17},     NamedTime{"afternoon", 13}, NamedTime{"evening", 18},
                            NamedTime{"night", 21}};

/// A length of time in words. Months and years are counted in the calendar.
struct Span {
  double seconds = 0;
  int months = 0;
};

/// That of one `second`, `mins`, `h`, …
std::optional<Span> parse_unit(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, Span>, 15> kUnits{{{"s", {1}},
                                                                      {"sec", {1}},
                                                                      {"second", {1}},
                                                                      {"m", {60}},
                                                                      {"min", {60}},
                                                                      {"minute", {60}},
                                                                      {"h", {3600}},
                                                                      {"hr", {3600}},
                                                                      {"hour", {3600}},
                                                                      {"d", {86400}},
                                                                      {"day", {86400}},
                                                                      {"w", {604800}},
                                                                      {"week", {604800}},
                                                                      {"month", {0, 1}},
                                                                      {"year", {0, 12}}}};
  if (word.size() > 2 && word.ends_with('s')) word.remove_suffix(1);
  const auto found =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const auto& known) { return known.first == word; });
  return found == kUnits.end() ? std::nullopt : std::optional{found->second};
}

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

/// 12/24/2026, 12/24: without a year this one.
std::optional<Day> parse_slash_day(std::string_view word, int this_year) {
  const auto parts = split(word, '/');
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  const auto month = parse_digits(parts[0], 1, 2), day = parse_digits(parts[1], 1, 2);
  const auto year = parts.size() == 3 ? parse_digits(parts[2], 4, 4) : std::optional{this_year};
  if (!year || !month || !day || *month < 1 || *month > 12) return std::nullopt;
  return Day{*year, *month, *day};
}

/// Takes `z` or `+01:00` off the end of a clock's time: seconds east of Greenwich.
std::optional<int> take_zone(std::string_view& clock) {
  if (clock.ends_with('z')) {
    clock.remove_suffix(1);
    return 0;
  }
  const std::size_t sign = clock.find_first_of("+-");
  if (sign == std::string_view::npos) return std::nullopt;
  const auto offset = parse_clock(clock.substr(sign + 1));
  if (!offset) return std::nullopt;
  const int seconds = offset->hour * 3600 + offset->minute * 60;
  const bool west = clock[sign] == '-';
  clock = clock.substr(0, sign);
  return west ? -seconds : seconds;
}

/// A date, a time, or both, word by word.
class MomentWords {
 public:
  MomentWords(std::string_view text, double now, Toward toward)
      : now_(now), toward_(toward), today_(local_day(now)) {
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
    if (const auto span = length_of_time()) return span;
    while (at_ < words_.size()) {
      if (!day_ && take_day()) continue;
      if (!time_ && take_time()) continue;
      return std::nullopt;
    }
    if (!day_ && !time_) return std::nullopt;
    if (day_ && zone_) {
      std::tm tm{};
      tm.tm_year = day_->year - 1900;
      tm.tm_mon = day_->month - 1;
      tm.tm_mday = day_->day;
      tm.tm_hour = time_->hour;
      tm.tm_min = time_->minute;
      tm.tm_sec = time_->second;
      const std::tm asked = tm;
      const std::time_t seconds = ::timegm(&tm);
      const bool same = tm.tm_mon == asked.tm_mon && tm.tm_mday == asked.tm_mday;
      return same ? std::optional{static_cast<double>(seconds) - *zone_} : std::nullopt;
    }
    if (day_) return local_moment(*day_, time_.value_or(TimeOfDay{}));
    for (const int days : {0, toward_ == Toward::future ? 1 : -1}) {
      const auto moment = local_moment(day_after(days), *time_);
      if (moment && (*moment > now_) == (toward_ == Toward::future)) return moment;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::string_view word(std::size_t ahead = 0) const {
    return at_ + ahead < words_.size() ? std::string_view{words_[at_ + ahead]} : std::string_view{};
  }

  /// [in] N UNIT [[and] N UNIT…] [from now], next UNIT; of past times they end with `ago`.
  [[nodiscard]] std::optional<double> length_of_time() const {
    std::vector<std::string> words = words_;
    const auto take_end = [&](std::initializer_list<std::string_view> end) {
      const bool there =
          words.size() > end.size() && std::equal(end.begin(), end.end(), words.end() - end.size());
      if (there) words.resize(words.size() - end.size());
      return there;
    };
    if (toward_ == Toward::past) {
      if (!take_end({"ago"})) return std::nullopt;
    } else if (!words.empty() && words.front() == "in") {
      words.erase(words.begin());
      static_cast<void>(take_end({"from", "now"}));
    } else {
      static_cast<void>(take_end({"from", "now"}));
    }
    if (toward_ == Toward::future && words.size() == 2 && words[0] == "next") words[0] = "a";
    Span all;
    for (std::size_t i = 0; i < words.size();) {
      if (i > 0 && words[i] == "and") ++i;
      if (i == words.size()) return std::nullopt;
      // 10min is two words in one.
      const std::size_t digits = std::min(words[i].find_first_not_of("0123456789"), words[i].size());
      const bool joined = digits > 0 && digits < words[i].size();
      const bool one = words[i] == "a" || words[i] == "an";
      const auto count = one ? std::optional{1} : parse_digits(words[i].substr(0, digits), 1, 9);
      if (!joined && i + 1 == words.size()) return std::nullopt;
      const auto unit = parse_unit(joined ? words[i].substr(digits) : words[i + 1]);
      if (!count || !unit) return std::nullopt;
      all.seconds += *count * unit->seconds;
      constexpr std::int64_t kMostMonths = 120'000;
      const std::int64_t months = all.months + std::int64_t{*count} * unit->months;
      if (months > kMostMonths) return std::nullopt;
      all.months = static_cast<int>(months);
      i += joined ? 1 : 2;
    }
    if (words.empty()) return std::nullopt;
    return moved(all);
  }

  [[nodiscard]] std::optional<double> moved(const Span& by) const {
    const int sign = toward_ == Toward::future ? 1 : -1;
    if (by.months == 0) return now_ + sign * by.seconds;
    std::tm tm = today_;
    tm.tm_mon += sign * by.months;
    tm.tm_isdst = -1;
    const std::time_t seconds = std::mktime(&tm);
    if (seconds == -1) return std::nullopt;
    return static_cast<double>(seconds) + sign * by.seconds;
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
    if (first == "yesterday" && toward_ == Toward::past) return set_day(day_after(-1), 1);
    if (const auto weekday = find_name(kWeekdays, first)) {
      const int days = (*weekday - today_.tm_wday + 7) % 7;
      if (toward_ == Toward::past) return set_day(day_after(days == 0 ? 0 : days - 7), 1);
      return set_day(day_after(days == 0 ? 7 : days), 1);
    }
    if (const auto weekday = find_name(kWeekdays, word(1));
        weekday && first == "next" && toward_ == Toward::future) {
      // Weeks begin on Mondays.
      const auto place = [](int day) { return (day + 6) % 7; };
      return set_day(day_after(place(*weekday) - place(today_.tm_wday) + 7), 2);
    }
    if (const auto day = parse_slash_day(first, today_.tm_year + 1900)) {
      const bool whole = std::count(first.begin(), first.end(), '/') == 2;
      return set_day(whole ? *day : nearest_year(*day), 1);
    }
    // 2026-12-24T18:30 is two words in one.
    const std::size_t t = first.find('t');
    if (const auto day = parse_iso_day(first.substr(0, t))) {
      if (t == std::string_view::npos) return set_day(*day, 1);
      std::string_view clock = first.substr(t + 1);
      zone_ = take_zone(clock);
      const auto time = parse_clock(clock);
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
    return set_day(nearest_year({today_.tm_year + 1900, *month + 1, *day}), 2);
  }

  /// A day of this year, or where that is over, or of past times is to come, of the one beside it.
  [[nodiscard]] Day nearest_year(Day day) const {
    const auto given = std::pair{day.month, day.day}, today = std::pair{today_.tm_mon + 1, today_.tm_mday};
    if (toward_ == Toward::future && given < today) ++day.year;
    if (toward_ == Toward::past && given > today) --day.year;
    return day;
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
  Toward toward_;
  std::tm today_;
  std::vector<std::string> words_;
  std::size_t at_ = 0;
  std::optional<Day> day_;
  std::optional<TimeOfDay> time_;
  std::optional<int> zone_;  ///< of a day and a time: seconds east of Greenwich
};

}  // namespace

std::optional<double> parse_moment_words(std::string_view text, double now, Toward toward) {
  return MomentWords{text, now, toward}.moment();
}

}  // namespace fq::document
