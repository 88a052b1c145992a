// A host name as a stem and the number at its end: what hostlists compress by (RFC 29).

#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/text.h"

namespace fq::notation {

/// Numbers in host names have at most this many digits, so that 64 bits hold them and 10^kMaxDigits.
constexpr int kMaxDigits = 18;

/// How many decimal digits `number` has.
[[nodiscard]] constexpr int count_digits(std::uint64_t number) {
  int digits = 1;
  while (number >= 10) {
    number /= 10;
    ++digits;
  }
  return digits;
}

[[nodiscard]] constexpr std::uint64_t power_of_10(int exponent) {
  std::uint64_t power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}

struct NumberedName {
  std::string_view stem;
  int digits = 0;            ///< leading zeros included; 0 when the name does not end in a digit
  std::uint64_t number = 0;  ///< their value
};

/// Splits `name` before the digits at its end, of which at most `most` are taken. The stem points into it.
[[nodiscard]] inline NumberedName split_number(std::string_view name, int most = kMaxDigits) {
  NumberedName out;
  while (out.digits < most && static_cast<std::size_t>(out.digits) < name.size()) {
    const char c = name[name.size() - 1 - static_cast<std::size_t>(out.digits)];
    if (c < '0' || c > '9') break;
    ++out.digits;
  }
  const std::size_t stem = name.size() - static_cast<std::size_t>(out.digits);
  out.stem = name.substr(0, stem);
  out.number = parse_u64(name.substr(stem)).value_or(0);
  return out;
}

}  // namespace fq::notation
