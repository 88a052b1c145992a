// Moments as people write them: begin times, which are to come, and times in the past.
//
//   1795257930.5             seconds since the epoch
//   now   +1.5h   -1.5h      this moment; a duration (RFC 23) after it, or before it
//   2 hours   in 3 days      the same in words: seconds, minutes, hours, days, weeks, months, years; 10min,
//   1 hour 30 minutes ago    several of them; next week
//   DATE [at] TIME           in either order; a date alone begins at midnight, a time alone is the next such
//                            one, or of past times the last one
//
//   DATE   2026-12-24   12/24[/2026]   24 Dec [2026]   Dec 24 [2026]   today   tomorrow   yesterday
//          friday: the next one, or of past times the last one   next friday: that of the next week
//   TIME   18:30[:05]   6:30pm   6pm   noon   midnight   morning (6:00)   afternoon (13:00)   eod (17:00)
//          evening (18:00)   night (21:00)   tonight: today at night
//
// Words may be written in any case, months and weekdays by their first three letters; 2026-12-24T18:30 is a
// date and a time, which may end with a zone: Z or +01:00. All others are local.

#pragma once

#include <string_view>

namespace fq::document {

/// Seconds since the epoch, to the microsecond; `now` is what counts as this moment. A day that has been may
/// be written. Throws Error{invalid} `begin time 'TEXT': …`, also for the first three years after 1970, whose
/// numbers are durations that lack their `+`.
[[nodiscard]] double parse_begin_time(std::string_view text, double now);
/// The same of a time in the past, in which a duration counts back whatever its sign; small numbers are such.
/// Throws Error{invalid} `time 'TEXT': …`, also for a time to come.
[[nodiscard]] double parse_past_time(std::string_view text, double now);

/// Later moments are mistakes: the year 10000 begins here.
inline constexpr double kEndOfTime = 253402300800.0;
/// The double that the text of `seconds` to the microsecond reads back as.
[[nodiscard]] double to_microseconds(double seconds);
/// A finite number of seconds, as documents hold it; throws Error{invalid} for another text or time.
[[nodiscard]] double parse_epoch(std::string_view text);

}  // namespace fq::document
