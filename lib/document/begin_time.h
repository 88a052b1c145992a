// Moments as people write them, for begin times.
//
//   1795257930.5             seconds since the epoch
//   now   +1.5h              this moment; a duration (RFC 23) from it
//   2 hours   in 3 days      the same in words: seconds, minutes, hours, days, weeks
//   DATE [at] TIME           in either order; a date alone begins at midnight, a time alone is the next such
//   one
//
//   DATE   2026-12-24   24 Dec [2026]   Dec 24 [2026]   today   tomorrow   friday: the next one
//   TIME   18:30[:05]   6:30pm   6pm   noon   midnight   morning (6:00)   afternoon (13:00)   evening (18:00)
//          night (21:00)   tonight: today at night
//
// Words may be written in any case, months and weekdays by their first three letters; 2026-12-24T18:30 is a
// date and a time. All are local.

#pragma once

#include <string_view>

namespace fq::document {

/// Seconds since the epoch, to the microsecond; `now` is what counts as this moment. Throws Error{invalid}
/// `begin time 'TEXT': …`.
[[nodiscard]] double parse_begin_time(std::string_view text, double now);

/// Later moments are mistakes: the year 10000 begins here.
inline constexpr double kEndOfTime = 253402300800.0;
/// The double that the text of `seconds` to the microsecond reads back as.
[[nodiscard]] double to_microseconds(double seconds);
/// A finite number of seconds, as documents hold it; throws Error{invalid} for another text or time.
[[nodiscard]] double parse_epoch(std::string_view text);

}  // namespace fq::document
