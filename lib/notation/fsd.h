// Flux Standard Duration (RFC 23): a number with one of the units ms s m h d, seconds when it has none.

#pragma once

#include <string>
#include <string_view>

namespace fq::notation {

/// Seconds in [0, infinity]: `2ms`, `0.1s`, `30`, `1.2h`, `5d`; `inf` and `infinity` in any case, without
/// unit. Throws Error{invalid} for anything else: negative, nan, or more than a double can hold.
[[nodiscard]] double parse_fsd(std::string_view text);

/// As parse_fsd, but a number without unit is minutes: the value of the option -t.
[[nodiscard]] double parse_minutes_or_fsd(std::string_view text);

/// The duration as listings show it, in the largest unit that gives 1 or more: seconds below 10 with three
/// decimals (`0.052s`, `6.081s`), the rest with four digits (`9.899m`, `10m`, `1h`, `2.5d`), `0s` below a
/// millisecond, `inf`.
[[nodiscard]] std::string format_fsd(double seconds);

/// The duration to `digits` significant digits, milliseconds included (`62.1ms`), `infinity`: for messages
/// and documents, where it is read again. REQUIRES seconds >= 0 and 1 <= digits <= 17.
[[nodiscard]] std::string format_fsd_digits(double seconds, int digits = 6);

}  // namespace fq::notation
