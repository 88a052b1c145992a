// parse_json: a JSON text (RFC 8259) as a value of nlohmann::json, whose own parser takes two to three times
// as long for the documents of jobs. Which texts are JSON, and what they mean, is the same:
// tests/fuzz/json_fuzz.cc compares.

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

namespace fq {

using nlohmann::json;

namespace {

/// For each byte whether it stands for itself in a string: ASCII but quotes, backslashes and control
/// characters.
constexpr std::array<bool, 256> make_plain() {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x80; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}
constexpr std::array<bool, 256> kPlain = make_plain();

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const auto tail = [&](int shift) { out += static_cast<char>(0x80U | (code >> shift & 0x3fU)); };
  if (code < 0x800) {
    out += static_cast<char>(0xc0U | code >> 6U);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0U | code >> 12U);
    tail(6);
  } else {
    out += static_cast<char>(0xf0U | code >> 18U);
    tail(12);
    tail(6);
  }
  tail(0);
}

/// Recursive descent, no deeper than kMaxJsonDepth.
class Reader {
 public:
  Reader(std::string_view text, std::string_view what) : text_(text), what_(what) {}

  json read() {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // a byte order mark
    skip_space();
    json value = read_value(0);
    skip_space();
    if (at_ != text_.size()) throw invalid();
    return value;
  }

 private:
  /// Error{invalid} `what: line L, column C: message` for the place that was reached.
  [[nodiscard]] Error error_here(std::string_view message) const {
    const std::string_view before = text_.substr(0, at_);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t newline = before.rfind('\n');
    const std::size_t column = at_ - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
    return error(Kind::invalid, "{}: line {}, column {}: {}", what_, line, column, message);
  }
  [[nodiscard]] Error invalid() const { return error_here("not valid JSON"); }

  /// The next character; NUL, which is never right, at the end.
  [[nodiscard]] char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool accept(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }
  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
      ++at_;
    }
  }

  json read_value(std::size_t depth) {
    switch (next()) {
      case '{':
        return read_object(depth);
      case '[':
        return read_array(depth);
      case '"':
        return read_string();
      case 't':
        skip_word("true");
        return true;
      case 'f':
        skip_word("false");
        return false;
      case 'n':
        skip_word("null");
        return nullptr;
      default:
        return read_number();
    }
  }

  void skip_word(std::string_view word) {
    for (const char c : word) {
      if (!accept(c)) throw invalid();
    }
  }

  /// Printing, copying and comparing a value recurse, so what nests deeper is refused.
  void check_depth(std::size_t depth) const {
    if (depth == kMaxJsonDepth)
      throw error_here(fmt::format("nested more than {} levels deep", kMaxJsonDepth));
  }

  json read_object(std::size_t depth) {
    check_depth(depth);
    ++at_;
    json::object_t members;
    skip_space();
    if (accept('}')) return members;
    do {
      skip_space();
      if (next() != '"') throw invalid();
      std::string key = read_string();
      skip_space();
      if (!accept(':')) throw invalid();
      skip_space();
      json value = read_value(depth + 1);
      // Keys mostly come in order. Of those that are equal the last one counts.
      if (members.empty() || members.rbegin()->first < key) {
        members.emplace_hint(members.end(), std::move(key), std::move(value));
      } else {
        members.insert_or_assign(std::move(key), std::move(value));
      }
      skip_space();
    } while (accept(','));
    if (!accept('}')) throw invalid();
    return members;
  }

  json read_array(std::size_t depth) {
    check_depth(depth);
    ++at_;
    json::array_t elements;
    skip_space();
    if (accept(']')) return elements;
    do {
      skip_space();
      elements.push_back(read_value(depth + 1));
      skip_space();
    } while (accept(','));
    if (!accept(']')) throw invalid();
    return elements;
  }

  std::string read_string() {
    ++at_;
    std::string out;
    for (;;) {
      const std::size_t from = at_;
      while (at_ < text_.size() && kPlain[static_cast<unsigned char>(text_[at_])]) ++at_;
      if (next() == '"' && out.empty()) return std::string{text_.substr(from, at_++ - from)};
      out.append(text_, from, at_ - from);
      if (accept('"')) return out;
      if (accept('\\')) {
        read_escape(out);
      } else {
        const std::size_t length = at_ < text_.size() ? utf8_sequence_length(text_.substr(at_)) : 0;
        if (length < 2) throw invalid();  // the end, a control character, or no UTF-8
        out.append(text_, at_, length);
        at_ += length;
      }
    }
  }

  void read_escape(std::string& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (accept('u')) return read_unicode_escape(out);
    const std::size_t which = at_ < text_.size() ? kLetters.find(text_[at_]) : std::string_view::npos;
    if (which == std::string_view::npos) throw invalid();
    out += kMeanings[which];
    ++at_;
  }

  /// Four hexadecimal digits; above the plane of 16 bits a pair of surrogates, half of one being an error.
  void read_unicode_escape(std::string& out) {
    std::uint32_t code = read_hex();
    if (code >= 0xdc00 && code <= 0xdfff) throw invalid();
    if (code >= 0xd800 && code <= 0xdbff) {
      if (!accept('\\') || !accept('u')) throw invalid();
      const std::uint32_t low = read_hex();
      if (low < 0xdc00 || low > 0xdfff) throw invalid();
      code = 0x10000 + ((code - 0xd800) << 10U) + (low - 0xdc00);
    }
    append_utf8(out, code);
  }

  std::uint32_t read_hex() {
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = next();
      const char lower = static_cast<char>(c | 0x20);
      if (!is_digit(c) && (lower < 'a' || lower > 'f')) throw invalid();
      code = code << 4U | static_cast<std::uint32_t>(is_digit(c) ? c - '0' : lower - 'a' + 10);
    }
    return code;
  }

  void skip_digits() {
    if (!is_digit(next())) throw invalid();
    while (is_digit(next())) ++at_;
  }

  /// Integers stay integers as far as 64 bits hold them.
  json read_number() {
    const std::size_t from = at_;
    const bool negative = accept('-');
    if (!accept('0')) skip_digits();
    const std::size_t integer_end = at_;
    if (accept('.')) skip_digits();
    if (next() == 'e' || next() == 'E') {
      ++at_;
      if (!accept('-')) accept('+');
      skip_digits();
    }
    const char* const first = text_.data() + from;
    const char* const last = text_.data() + at_;
    if (at_ == integer_end) {
      if (negative) {
        std::int64_t number = 0;
        if (std::from_chars(first, last, number).ec == std::errc{}) return number;
      } else {
        std::uint64_t number = 0;
        if (std::from_chars(first, last, number).ec == std::errc{}) return number;
      }
    }
    double number = 0;
    if (std::from_chars(first, last, number).ec == std::errc{}) return number;
    if (is_huge(text_.substr(from, at_ - from))) {
      throw error(Kind::invalid, "{}: a number is too large", what_);
    }
    return negative ? -0.0 : 0.0;
  }

  /// Whether a number that a double cannot hold is too large, not too small.
  static bool is_huge(std::string_view number) {
    const std::size_t e = std::min(number.find_first_of("eE"), number.size());
    const std::string_view digits = number.substr(0, e);
    const auto point = static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
    const auto first = static_cast<std::int64_t>(std::min(digits.find_first_of("123456789"), digits.size()));
    std::string_view written = number.substr(std::min(e + 1, number.size()));
    if (written.starts_with('+')) written.remove_prefix(1);
    std::int64_t exponent = 0;
    const auto status = std::from_chars(written.data(), written.data() + written.size(), exponent).ec;
    if (status == std::errc::result_out_of_range) return !written.starts_with('-');
    // Of its first digit that is not 0.
    return exponent > first - point;
  }

  std::string_view text_;
  std::string_view what_;
  std::size_t at_ = 0;
};

}  // namespace

json parse_json(std::string_view text, std::string_view what) {
  return Reader{text, what}.read();
}

}  // namespace fq
