// UTF-8, code point by code point, and which of them a terminal must not get.

#pragma once

#include <cstddef>
#include <string_view>

namespace fq {

struct CodePoint {
  char32_t value = 0;
  std::size_t length = 1;  ///< in bytes
  bool valid = false;
};

/// The code point at the start of `text`, which is not empty; a byte that begins none is one of its own, not
/// valid.
[[nodiscard]] CodePoint first_code_point(std::string_view text);

/// Whether it could steer a terminal, break a line, or show text in another order than it stands: controls,
/// line and paragraph separators, marks and overrides of direction, and what is not UTF-8. All that are valid
/// lie below U+10000.
[[nodiscard]] bool is_harmful(const CodePoint& c);

/// Whether all of `text` is ASCII that can be printed.
[[nodiscard]] bool is_plain_ascii(std::string_view text);

}  // namespace fq
