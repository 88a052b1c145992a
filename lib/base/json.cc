#include "base/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json_reader.h"
#include "base/text.h"
#include "base/utf8.h"

namespace fq {

using nlohmann::json;

namespace {

/// `what: line L, column C: message` for the byte at `at`.
Error error_at(std::string_view text, std::size_t at, std::string_view what, std::string_view message) {
  const std::string_view before = text.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = at - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
  return error(Kind::invalid, "{}: line {}, column {}: {}", what, line, column, message);
}

/// The place of the quote that ends the string which begins with the quote at `at`, or npos.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (std::size_t from = at + 1;;) {
    const std::size_t end = text.find('"', from);
    if (end == std::string_view::npos) return end;
    std::size_t slashes = 0;
    while (text[end - 1 - slashes] == '\\') ++slashes;
    if (slashes % 2 == 0) return end;
    from = end + 1;
  }
}

/// Where the brackets of `text` first nest deeper than kMaxJsonDepth, or npos. Printing, copying and
/// comparing a value recurse, so deeper texts are refused before they are parsed.
std::size_t find_too_deep(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '[':
      case '{':
        if (++depth > kMaxJsonDepth) return i;
        break;
      case ']':
      case '}':
        if (depth > 0) --depth;
        break;
      case '"':
        i = end_of_string(text, i);
        if (i == std::string_view::npos) return i;
        break;
      default:
        break;
    }
  }
  return std::string_view::npos;
}

/// Where a text stops being JSON. Nothing is built of it: what is refused may be large.
class FirstFault final : public json::json_sax_t {
 public:
  [[nodiscard]] std::size_t offset() const { return offset_; }
  [[nodiscard]] bool is_large_number() const { return is_large_number_; }

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool string(string_t& /*value*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*members*/) override { return true; }
  bool key(string_t& /*value*/) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t /*elements*/) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const json::exception& failure) override {
    offset_ = position > 0 ? position - 1 : 0;
    // The only other one: a number such as 1e999.
    is_large_number_ = dynamic_cast<const json::out_of_range*>(&failure) != nullptr;
    return false;
  }

 private:
  std::size_t offset_ = 0;
  bool is_large_number_ = false;
};

}  // namespace

json parse_json(std::string_view text, std::string_view what) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const std::size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const std::string_view body = text.substr(begin);
  UnreadJson why;
  if (auto value = read_json(body, kMaxJsonDepth, kMaxJsonBytes, &why)) return *std::move(value);
  if (why.too_large)
    throw error(Kind::invalid, "{}: its value takes more than {} bytes of memory", what, kMaxJsonBytes);
  if (why.duplicate) {
    throw error_at(text, begin + why.duplicate->offset, what,
                   fmt::format("the key {} is there twice", quote(why.duplicate->key)));
  }
  if (const std::size_t at = find_too_deep(text); at != std::string_view::npos) {
    throw error_at(text, at, what, fmt::format("nested more than {} levels deep", kMaxJsonDepth));
  }
  FirstFault fault;
  if (json::sax_parse(body, &fault))  // it takes a NUL for the end
    throw error_at(text, std::min(text.find('\0'), text.size()), what, "not valid JSON");
  if (fault.is_large_number()) throw error(Kind::invalid, "{}: a number is too large", what);
  throw error_at(text, std::min(begin + fault.offset(), text.size()), what, "not valid JSON");
}

std::vector<std::string_view> split_json(std::string_view text) {
  std::vector<std::string_view> pieces;
  std::size_t begin = 0;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      i = end_of_string(text, i);
      if (i == std::string_view::npos) break;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if ((c == ']' || c == '}') && (depth == 0 || --depth == 0)) {
      pieces.push_back(trim(text.substr(begin, i + 1 - begin)));
      begin = i + 1;
    }
  }
  const std::string_view rest = trim(text.substr(begin));
  if (!rest.empty()) pieces.push_back(rest);
  return pieces;
}

namespace {

/// The length of the start of `text` that needs no escape in a JSON string.
std::size_t plain_length(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (c < 0x20 || c == '"' || c == '\\' || c == 0x7F) break;
    if (c < 0x80) {
      ++at;
      continue;
    }
    const CodePoint point = first_code_point(text.substr(at));
    if (is_harmful(point)) break;
    at += point.length;
  }
  return at;
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (;;) {
    const std::size_t plain = plain_length(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const CodePoint c = first_code_point(text);
    text.remove_prefix(c.length);
    if (!c.valid) {
      out += "\xEF\xBF\xBD";
      continue;
    }
    switch (c.value) {
      case '"':
      case '\\':
        out += {'\\', static_cast<char>(c.value)};
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c.value));
    }
  }
  out += '"';
}

namespace {

template <typename Number>
void append_number(std::string& out, Number number) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.begin(), digits.end(), number).ptr;
  out.append(digits.data(), end);
  if constexpr (std::is_floating_point_v<Number>) {  // keeps its type when it is read again
    if (std::string_view(digits.data(), end).find_first_of(".e") == std::string_view::npos) out += ".0";
  }
}

}  // namespace

void append_json(std::string& out, const json& value) {
  char before = '{';
  switch (value.type()) {
    case json::value_t::object:
      for (const auto& [key, member] : value.get_ref<const json::object_t&>()) {
        out += std::exchange(before, ',');
        append_json_string(out, key);
        out += ':';
        append_json(out, member);
      }
      out += value.empty() ? "{}" : "}";
      return;
    case json::value_t::array:
      before = '[';
      for (const json& element : value) {
        out += std::exchange(before, ',');
        append_json(out, element);
      }
      out += value.empty() ? "[]" : "]";
      return;
    case json::value_t::string:
      return append_json_string(out, value.get_ref<const std::string&>());
    case json::value_t::boolean:
      out += value.get<bool>() ? "true" : "false";
      return;
    case json::value_t::number_integer:
      return append_number(out, value.get<std::int64_t>());
    case json::value_t::number_unsigned:
      return append_number(out, value.get<std::uint64_t>());
    case json::value_t::number_float:
      if (const double number = value.get<double>(); std::isfinite(number)) return append_number(out, number);
      [[fallthrough]];
    default:
      out += "null";
  }
}

std::string dump_json(const json& value) {
  std::string out;
  append_json(out, value);
  return out;
}

std::string_view json_type_name(const json& value) {
  switch (value.type()) {
    case json::value_t::null:
      return "null";
    case json::value_t::object:
      return "an object";
    case json::value_t::array:
      return "an array";
    case json::value_t::string:
      return "a string";
    case json::value_t::boolean:
      return "a boolean";
    case json::value_t::number_integer:
    case json::value_t::number_unsigned:
      return "an integer";
    case json::value_t::number_float:
      return "a number";
    default:
      return "binary data";
  }
}

Error JsonAt::fail(std::string_view message) const {
  if (path_.empty()) return Error{Kind::invalid, std::string{message}};
  return error(Kind::invalid, "{}: {}", path_, message);
}

namespace {

Error wrong_type(const JsonAt& at, std::string_view expected) {
  return at.fail(fmt::format("expected {}, got {}", expected, json_type_name(at.value())));
}

}  // namespace

const std::string& JsonAt::as_string() const {
  if (!value_->is_string()) throw wrong_type(*this, "a string");
  return value_->get_ref<const std::string&>();
}

std::int64_t JsonAt::as_integer() const {
  if (!value_->is_number_integer()) throw wrong_type(*this, "an integer");
  if (value_->is_number_unsigned() &&
      value_->get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    throw fail("the integer is too large");
  }
  return value_->get<std::int64_t>();
}

std::int64_t JsonAt::as_integer(std::int64_t low, std::int64_t high) const {
  const std::int64_t number = as_integer();
  if (number < low || number > high) {
    throw fail(fmt::format("expected an integer from {} to {}, got {}", low, high, number));
  }
  return number;
}

double JsonAt::as_number() const {
  if (!value_->is_number()) throw wrong_type(*this, "a number");
  const double number = value_->get<double>();
  if (!std::isfinite(number)) throw fail("the number is too large");
  return number;
}

bool JsonAt::as_boolean() const {
  if (!value_->is_boolean()) throw wrong_type(*this, "a boolean");
  return value_->get<bool>();
}

const JsonAt& JsonAt::object() const {
  if (!value_->is_object()) throw wrong_type(*this, "an object");
  return *this;
}

const JsonAt& JsonAt::array() const {
  if (!value_->is_array()) throw wrong_type(*this, "an array");
  return *this;
}

std::optional<JsonAt> JsonAt::find(std::string_view key) const {
  object();
  const auto member = value_->find(key);
  if (member == value_->end()) return std::nullopt;
  return JsonAt{*member, path_.empty() ? std::string{key} : fmt::format("{}.{}", path_, key)};
}

JsonAt JsonAt::at(std::string_view key) const {
  auto member = find(key);
  if (!member) throw fail(fmt::format("missing key {}", quote(key)));
  return *std::move(member);
}

JsonAt JsonAt::at(std::size_t index) const {
  return JsonAt{array().value().at(index), fmt::format("{}[{}]", path_, index)};
}

std::size_t JsonAt::size() const {
  return value_->size();
}

void JsonAt::allow_only(std::initializer_list<std::string_view> keys) const {
  for (const auto& member : object().value().items()) {
    if (std::find(keys.begin(), keys.end(), member.key()) != keys.end()) continue;
    const std::vector<std::string> known(keys.begin(), keys.end());
    throw Error{Kind::invalid, fail(fmt::format("unknown key {}", quote(member.key()))).what(),
                did_you_mean(member.key(), known)};
  }
}

}  // namespace fq
