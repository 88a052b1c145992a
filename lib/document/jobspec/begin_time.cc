#include "document/jobspec/begin_time.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "document/jobspec/moment_words.h"
#include "notation/fsd.h"

namespace fq::document {
namespace {

constexpr double kFirstEpoch = 1e8;  ///< smaller numbers are no seconds since the epoch: it was 1973 then

std::optional<double> parse_seconds(std::string_view text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> parse_moment(std::string_view text, double now) {
  if (text == "now") return now;
  if (text.starts_with('+') && !text.substr(1).starts_with('+'))
    return now + notation::parse_fsd(text.substr(1));
  if (const auto seconds = parse_seconds(text)) return seconds;
  return parse_moment_words(text, now, Toward::future);
}

std::optional<double> parse_moment_past(std::string_view text, double now) {
  if (text == "now") return now;
  const auto number = parse_seconds(text);
  if (number && *number >= kFirstEpoch) return number;
  std::string words{text};
  if (text.starts_with('-')) {
    words = text.substr(1);
    try {
      return now - notation::parse_fsd(words);
    } catch (const Error&) {
      return parse_moment_words(words + " ago", now, Toward::past);
    }
  }
  if (number) return now - *number;
  try {
    return now - notation::parse_fsd(text);
  } catch (const Error&) {
    return parse_moment_words(text, now, Toward::past);
  }
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
  if (const auto number = parse_seconds(text); number && *number >= 0 && *number < kFirstEpoch) {
    throw Error{Kind::invalid, fmt::format("begin time {}: seconds since the epoch are more", quote(text)),
                fmt::format("did you mean '+{}m'?", text)};
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

double parse_past_time(std::string_view text, double now) {
  if (text == "0") return 0;  // the epoch, and no length of time: since ever
  const auto moment = text.starts_with('+') ? std::nullopt : parse_moment_past(text, now);
  if (!moment) {
    throw error(Kind::invalid,
                "time {}: expected one that has been, as '-1h', '10:00', 'yesterday', 'friday', "
                "'Nov 20', '2026-11-20T18:30' or seconds since the epoch",
                quote(text));
  }
  if (*moment > now) throw error(Kind::invalid, "time {}: it is still to come", quote(text));
  return to_microseconds(std::max(*moment, 0.0));
}

}  // namespace fq::document
