#include "cli/text_width.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace fq::cli {
namespace {

struct Range {
  char32_t first, last;
};

// The blocks that matter in names people choose, not every assigned character (Unicode 15).
constexpr std::array kWide{
    Range{0x1100, 0x115F},   Range{0x231A, 0x231B},   Range{0x2329, 0x232A},   Range{0x23E9, 0x23EC},
    Range{0x23F0, 0x23F0},   Range{0x23F3, 0x23F3},   Range{0x25FD, 0x25FE},   Range{0x2614, 0x2615},
    Range{0x26A1, 0x26A1},   Range{0x26D4, 0x26D4},   Range{0x2705, 0x2705},   Range{0x270A, 0x270B},
    Range{0x2728, 0x2728},   Range{0x274C, 0x274C},   Range{0x2753, 0x2755},   Range{0x2757, 0x2757},
    Range{0x2B50, 0x2B50},   Range{0x2E80, 0x303E},   Range{0x3041, 0x33FF},   Range{0x3400, 0x4DBF},
    Range{0x4E00, 0x9FFF},   Range{0xA000, 0xA4CF},   Range{0xA960, 0xA97F},   Range{0xAC00, 0xD7A3},
    Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},   Range{0xFF01, 0xFF60},   Range{0xFFE0, 0xFFE6},
    Range{0x1F004, 0x1F004}, Range{0x1F0CF, 0x1F0CF}, Range{0x1F18E, 0x1F18E}, Range{0x1F191, 0x1F19A},
    Range{0x1F200, 0x1F320}, Range{0x1F32D, 0x1F335}, Range{0x1F337, 0x1F37C}, Range{0x1F37E, 0x1F393},
    Range{0x1F3A0, 0x1F3CA}, Range{0x1F3CF, 0x1F3D3}, Range{0x1F3E0, 0x1F3F0}, Range{0x1F3F4, 0x1F3F4},
    Range{0x1F3F8, 0x1F43E}, Range{0x1F440, 0x1F440}, Range{0x1F442, 0x1F4FC}, Range{0x1F4FF, 0x1F53D},
    Range{0x1F54B, 0x1F54E}, Range{0x1F550, 0x1F567}, Range{0x1F57A, 0x1F57A}, Range{0x1F595, 0x1F596},
    Range{0x1F5A4, 0x1F5A4}, Range{0x1F5FB, 0x1F64F}, Range{0x1F680, 0x1F6C5}, Range{0x1F6CC, 0x1F6CC},
    Range{0x1F6D0, 0x1F6D2}, Range{0x1F6D5, 0x1F6DF}, Range{0x1F6EB, 0x1F6FC}, Range{0x1F7E0, 0x1F7F0},
    Range{0x1F90C, 0x1F93A}, Range{0x1F93C, 0x1F945}, Range{0x1F947, 0x1F9FF}, Range{0x1FA70, 0x1FAFF},
    Range{0x20000, 0x3FFFD},
};
constexpr std::array kZero{
    Range{0x0300, 0x036F},   Range{0x0483, 0x0489}, Range{0x0591, 0x05BD}, Range{0x0610, 0x061A},
    Range{0x064B, 0x065F},   Range{0x0670, 0x0670}, Range{0x06D6, 0x06DC}, Range{0x0900, 0x0902},
    Range{0x093C, 0x093C},   Range{0x0941, 0x0948}, Range{0x094D, 0x094D}, Range{0x0E31, 0x0E31},
    Range{0x0E34, 0x0E3A},   Range{0x0E47, 0x0E4E}, Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF},
    Range{0x200B, 0x200D},   Range{0x20D0, 0x20FF}, Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F},
    Range{0xE0100, 0xE01EF},
};
// Controls, line and paragraph separators, marks and overrides of direction.
constexpr std::array kHarmful{
    Range{0x0000, 0x001F}, Range{0x007F, 0x009F}, Range{0x061C, 0x061C}, Range{0x200E, 0x200F},
    Range{0x2028, 0x202E}, Range{0x2066, 0x2069}, Range{0xFEFF, 0xFEFF}, Range{0xFFF9, 0xFFFB},
};

template <std::size_t N>
bool contains(const std::array<Range, N>& ranges, char32_t c) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), c,
                                      [](char32_t x, const Range& r) { return x < r.first; });
  return after != ranges.begin() && c <= std::prev(after)->last;
}

struct CodePoint {
  char32_t value = 0;
  std::size_t length = 1;
  bool valid = false;
};

/// The code point at the start of `text`, which is not empty; a byte that begins none is one of its own.
CodePoint decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  char32_t value = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  if (value < kLeast[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {};
  return {value, length, true};
}

std::size_t width_of(char32_t c) {
  if (c < 0x300) return 1;
  if (contains(kZero, c)) return 0;
  return contains(kWide, c) ? 2 : 1;
}

bool is_plain_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

bool is_safe(const CodePoint& c) {
  return c.valid && !contains(kHarmful, c.value);
}

}  // namespace

std::string_view printable(std::string_view text, std::string& scratch) {
  if (is_plain_ascii(text)) return text;
  std::size_t at = 0;
  while (at < text.size()) {
    const CodePoint c = decode(text.substr(at));
    if (!is_safe(c)) break;
    at += c.length;
  }
  if (at == text.size()) return text;
  std::string out{text.substr(0, at)};
  while (at < text.size()) {
    const CodePoint c = decode(text.substr(at));
    if (is_safe(c)) {
      out += text.substr(at, c.length);
    } else {
      out += '?';
    }
    at += c.length;
  }
  scratch = std::move(out);
  return scratch;
}

std::size_t display_width(std::string_view text) {
  if (is_plain_ascii(text)) return text.size();
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = decode(text.substr(at));
    width += width_of(c.value);
    at += c.length;
  }
  return width;
}

std::string_view cut_to_width(std::string_view text, std::size_t columns) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = decode(text.substr(at));
    width += width_of(c.value);
    if (width > columns) return text.substr(0, at);
    at += c.length;
  }
  return text;
}

}  // namespace fq::cli
