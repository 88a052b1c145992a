// Moments in words: days, times of day and lengths of time, as begin_time.h lists them.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fq::document {

/// Where moments that are not whole are looked for: the next friday, or the last one.
enum class Toward : std::uint8_t { future, past };

/// Seconds since the epoch; nothing for what names no moment. In the past lengths of time end with `ago`.
[[nodiscard]] std::optional<double> parse_moment_words(std::string_view text, double now, Toward toward);

}  // namespace fq::document
