#include "notation/fsd.h"

#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <locale.h>

#include "base/error.h"
#include "notation/cursor.h"

namespace fq::notation {

namespace {

constexpr double kMinute = 60;
constexpr double kHour = 3600;
constexpr double kDay = 86400;

struct Unit {
  std::string_view suffix;
  double seconds;
};
constexpr std::array<Unit, 5> kUnits{{{"ms", 1e-3}, {"s", 1}, {"m", kMinute}, {"h", kHour}, {"d", kDay}}};

/// strtod reads the decimal point of the locale; durations always have a '.'.
locale_t c_locale() {
  static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
  return locale;
}

[[nodiscard]] Error invalid_fsd(std::string_view text, std::string_view problem) {
  return error(Kind::invalid, "invalid duration {}: {}", quote_cut(text), problem);
}

double parse(std::string_view text, double bare_unit) {
  constexpr std::string_view kExpected = "expected a number with one of the units ms, s, m, h or d, or inf";
  if (text.empty()) throw invalid_fsd(text, kExpected);
  if (text[0] == '-') throw invalid_fsd(text, "a duration cannot be negative");
  // strtod would skip white space.
  if (text[0] <= ' ') throw invalid_fsd(text, kExpected);

  const std::string copy{text};
  char* end = nullptr;
  const double number = strtod_l(copy.c_str(), &end, c_locale());
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - copy.c_str()));
  const std::string_view suffix = text.substr(digits.size());
  if (digits.empty() || std::isnan(number)) throw invalid_fsd(text, kExpected);
  const bool infinite = digits.find_first_of("iI") != std::string_view::npos;
  if (infinite) {
    if (!suffix.empty()) throw invalid_fsd(text, "an infinite duration takes no unit");
    return number;
  }
  double unit = bare_unit;
  if (!suffix.empty()) {
    unit = 0;
    for (const Unit& known : kUnits) {
      if (suffix == known.suffix) unit = known.seconds;
    }
    if (unit == 0) {
      throw invalid_fsd(text, fmt::format("unknown unit {}, expected ms, s, m, h or d", quote_cut(suffix)));
    }
  }
  const double seconds = number * unit;
  if (std::isinf(seconds)) throw invalid_fsd(text, "too large, write inf for a duration without end");
  return seconds;
}

}  // namespace

double parse_fsd(std::string_view text) {
  return parse(text, 1);
}

double parse_minutes_or_fsd(std::string_view text) {
  return parse(text, kMinute);
}

std::string format_fsd(double seconds) {
  if (std::isinf(seconds) && seconds > 0) return "inf";
  if (!(seconds >= 1e-3)) return "0s";
  if (seconds < 10) return fmt::format("{:.3f}s", seconds);
  if (seconds < kMinute) return fmt::format("{:.4g}s", seconds);
  if (seconds < kHour) return fmt::format("{:.4g}m", seconds / kMinute);
  if (seconds < kDay) return fmt::format("{:.4g}h", seconds / kHour);
  return fmt::format("{:.4g}d", seconds / kDay);
}

std::string format_fsd_digits(double seconds, int digits) {
  if (std::isinf(seconds)) return "infinity";
  if (seconds == 0) return "0s";
  if (seconds < 0.1) return fmt::format("{:.{}g}ms", seconds * 1000, digits);
  if (seconds < kMinute) return fmt::format("{:.{}g}s", seconds, digits);
  if (seconds < kHour) return fmt::format("{:.{}g}m", seconds / kMinute, digits);
  if (seconds < kDay) return fmt::format("{:.{}g}h", seconds / kHour, digits);
  return fmt::format("{:.{}g}d", seconds / kDay, digits);
}

}  // namespace fq::notation
