// How one value of a listing is shown: the part of a format field after its name, `!F:>8h`.
//
//   field       NAME [!CONVERSION] [:SPEC]
//   SPEC        [[FILL]ALIGN][SIGN][z][#][0][WIDTH][GROUPING][.PRECISION][TYPE][h][+]   as in Python, but h
//   and +
//               TIME[::SPEC]                                                      with !d: TIME is strftime's
//   CONVERSION  d time (needs TIME)  D ISO date and time  F duration (FSD)  H hours:minutes:seconds  P
//   percent
//               s text
//   h           an empty value, zero duration or unset time is shown as `-`
//   +           a `+` at the end of text that the precision cut off
//
// A presentation that does not suit the value's type (`d` for text) is ignored: a listing never fails for one
// odd value.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace fq::cli {

/// What a field has to show: nothing, a number, or text.
using Value = std::variant<std::monostate, std::int64_t, double, std::string_view>;

enum class Align : char { none, left = '<', right = '>', center = '^', after_sign = '=' };

struct FormatSpec {
  /// Widths and precisions above this are refused: nobody reads such a column.
  static constexpr std::size_t kMaxWidth = 4096;

  std::string time;        ///< strftime text of !d; empty: ISO
  std::string fill = " ";  ///< one code point
  Align align = Align::none;
  char sign = '-';
  bool alternate = false;  ///< `#`
  bool zero_pad = false;
  std::size_t width = 0;
  char grouping = 0;  ///< `,` or `_`; 0: none
  std::optional<std::size_t> precision;
  char type = 0;  ///< 0: by the value's type
  bool hyphen = false;
  bool mark_cut = false;
};

/// Reads what stands after the colon. `conversion` is the letter after `!`, or 0. Throws Error{usage} that
/// says what is wrong, without the position.
[[nodiscard]] FormatSpec parse_format_spec(std::string_view text, char conversion);
/// True for a letter that can stand after `!`.
[[nodiscard]] bool is_conversion(char letter);

/// Appends `value`, converted and laid out.
void append_formatted(std::string& out, const Value& value, char conversion, const FormatSpec& spec);
/// Columns of the converted value without any layout; 0 for what `h` would show as `-`.
[[nodiscard]] std::size_t unpadded_width(const Value& value, char conversion, const FormatSpec& spec);
/// Appends `heading` with the alignment and width of the values below it; never cut.
void append_heading(std::string& out, std::string_view heading, const FormatSpec& spec);

}  // namespace fq::cli
