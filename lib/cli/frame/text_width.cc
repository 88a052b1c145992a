#include "cli/frame/text_width.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "base/utf8.h"

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
template <std::size_t N>
bool contains(const std::array<Range, N>& ranges, char32_t c) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), c,
                                      [](char32_t x, const Range& r) { return x < r.first; });
  return after != ranges.begin() && c <= std::prev(after)->last;
}

std::size_t width_of(char32_t c) {
  if (c < 0x300) return 1;
  if (contains(kZero, c)) return 0;
  return contains(kWide, c) ? 2 : 1;
}

}  // namespace

std::string_view masked(std::string_view text, std::string& scratch) {
  if (is_plain_ascii(text)) return text;
  std::size_t at = 0;
  while (at < text.size()) {
    const CodePoint c = first_code_point(text.substr(at));
    if (is_harmful(c)) break;
    at += c.length;
  }
  if (at == text.size()) return text;
  std::string out{text.substr(0, at)};
  while (at < text.size()) {
    const CodePoint c = first_code_point(text.substr(at));
    if (is_harmful(c)) {
      out += '?';
    } else {
      out += text.substr(at, c.length);
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
    const CodePoint c = first_code_point(text.substr(at));
    width += width_of(c.value);
    at += c.length;
  }
  return width;
}

std::string_view cut_to_width(std::string_view text, std::size_t columns) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = first_code_point(text.substr(at));
    width += width_of(c.value);
    if (width > columns) return text.substr(0, at);
    at += c.length;
  }
  return text;
}

}  // namespace fq::cli
