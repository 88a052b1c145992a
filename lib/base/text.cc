#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "base/utf8.h"

namespace fq {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t from = 0;;) {
    const std::size_t at = text.find(separator, from);
    parts.push_back(text.substr(from, at - from));
    if (at == std::string_view::npos) return parts;
    from = at + 1;
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::optional<std::uint64_t> parse_u64(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

namespace {

// Letters put in, left out, replaced, or changed places with the next.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string printable(std::string_view text) {
  if (is_plain_ascii(text)) return std::string{text};
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    const std::string_view bytes = text.substr(0, c.length);
    text.remove_prefix(c.length);
    if (!is_harmful(c)) {
      out += bytes;
    } else if (c.valid && (c.value == '\n' || c.value == '\t')) {
      out += c.value == '\n' ? "\\n" : "\\t";
    } else {
      for (const char byte : bytes) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
  }
  return out;
}

std::string quote(std::string_view text) {
  return fmt::format("'{}'", printable(text));
}

std::string quote_cut(std::string_view text) {
  constexpr std::size_t kMost = 80;
  if (text.size() <= kMost) return quote(text);
  std::size_t length = 0;
  while (length < kMost) length += first_code_point(text.substr(length)).length;
  return quote(text.substr(0, length)) + "...";
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    // Eight bytes of ASCII at a time: most text is nothing else.
    if (std::uint64_t bytes = 0; text.size() >= sizeof bytes) {
      std::memcpy(&bytes, text.data(), sizeof bytes);
      if ((bytes & 0x8080'8080'8080'8080U) == 0) {
        text.remove_prefix(sizeof bytes);
        continue;
      }
    }
    const CodePoint c = first_code_point(text);
    if (!c.valid) return false;
    text.remove_prefix(c.length);
  }
  return true;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::optional<std::string> near_match(std::string_view word, std::span<const std::string> candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    // Words that have nothing in common are not near, however short they are.
    if (distance < best_distance && distance < std::max(word.size(), candidate.size())) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const auto match = near_match(word, candidates);
  return match ? fmt::format("did you mean '{}'?", *match) : std::string{};
}

}  // namespace fq
