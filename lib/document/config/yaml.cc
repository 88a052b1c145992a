#include "document/config/yaml.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <sstream>

#include <nlohmann/json.hpp>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

namespace fq::document {
namespace {

using Json = nlohmann::json;

Error error_at(std::string_view what, const YAML::Mark& mark, std::string_view message) {
  return error(Kind::invalid, "{}: line {}, column {}: {}", what, mark.line + 1, mark.column + 1, message);
}

bool is_digits(std::string_view text, std::string_view digits) {
  return !text.empty() && text.find_first_not_of(digits) == std::string_view::npos;
}

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// `[-+]?[0-9]+`, `0o[0-7]+` or `0x[0-9a-fA-F]+`; one that 64 bits do not hold becomes a real number.
std::optional<Json> read_integer(std::string_view text) {
  int base = 10;
  bool negative = false;
  if (text.starts_with("0o") || text.starts_with("0x")) {
    base = text[1] == 'o' ? 8 : 16;
    text.remove_prefix(2);
  } else if (text.starts_with('-') || text.starts_with('+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  const std::string_view digits = "0123456789abcdefABCDEF";
  if (!is_digits(text, digits.substr(0, base == 16 ? digits.size() : static_cast<std::size_t>(base)))) {
    return std::nullopt;
  }
  std::uint64_t value = 0;
  const auto status = std::from_chars(text.data(), text.data() + text.size(), value, base).ec;
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (status == std::errc{} && !negative) return Json(value);
  if (status == std::errc{} && value <= kMax) return Json(-static_cast<std::int64_t>(value));
  double number = 0;
  if (base != 10 || std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc{}) {
    number = std::numeric_limits<double>::infinity();
  }
  return Json(negative ? -number : number);
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`, `[-+]?\.inf` or `\.nan` in three spellings.
std::optional<Json> read_real(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (is_one_of(text, std::array<std::string_view, 3>{".nan", ".NaN", ".NAN"})) {
    return Json(std::numeric_limits<double>::quiet_NaN());
  }
  bool negative = false;
  if (text.starts_with('-') || text.starts_with('+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (is_one_of(text, std::array<std::string_view, 3>{".inf", ".Inf", ".INF"})) {
    return Json(negative ? -kInfinity : kInfinity);
  }
  const bool begins = text.starts_with('.') ? text.size() > 1 && text[1] >= '0' && text[1] <= '9'
                                            : !text.empty() && text[0] >= '0' && text[0] <= '9';
  if (!begins) return std::nullopt;
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end != text.data() + text.size()) return std::nullopt;
  if (status == std::errc::result_out_of_range) number = kInfinity;
  return Json(negative ? -number : number);
}

std::optional<Json> read_null(std::string_view text) {
  if (!is_one_of(text, std::array<std::string_view, 5>{"", "~", "null", "Null", "NULL"})) return std::nullopt;
  return Json(nullptr);
}

std::optional<Json> read_boolean(std::string_view text) {
  if (is_one_of(text, std::array<std::string_view, 3>{"true", "True", "TRUE"})) return Json(true);
  if (is_one_of(text, std::array<std::string_view, 3>{"false", "False", "FALSE"})) return Json(false);
  return std::nullopt;
}

/// The value of a scalar: by its tag, or by its look when it is plain (tag `?`). Nothing when the text is not
/// of the tag's type, or the tag is unknown.
std::optional<Json> read_scalar(std::string_view tag, const std::string& text) {
  constexpr std::string_view kCore = "tag:yaml.org,2002:";
  if (tag == "?" || tag.empty()) {
    for (const auto read : {read_null, read_boolean, read_integer, read_real}) {
      if (auto value = read(text)) return value;
    }
    return Json(text);
  }
  if (tag == "!") return Json(text);
  if (!tag.starts_with(kCore)) return std::nullopt;
  tag.remove_prefix(kCore.size());
  if (tag == "str") return Json(text);
  if (tag == "null") return read_null(text);
  if (tag == "bool") return read_boolean(text);
  if (tag == "int") return read_integer(text);
  if (tag == "float") return read_real(text);
  return std::nullopt;
}

/// How much of a value counts against kMaxYamlBytes: its text and one for each value.
std::size_t weight(const Json& value) {
  std::size_t sum = 1;
  if (value.is_string()) sum += value.get_ref<const std::string&>().size();
  if (value.is_array()) {
    for (const Json& element : value) sum += weight(element);
  }
  if (value.is_object()) {
    for (const auto& [key, member] : value.get_ref<const Json::object_t&>())
      sum += key.size() + weight(member);
  }
  return sum;
}

/// Builds the JSON value of one YAML document. Aliases are copied; what all copies weigh is bounded, so that
/// a short text cannot grow into a huge value.
class Builder final : public YAML::EventHandler {
 public:
  explicit Builder(std::string_view what) : what_(what) {}

  [[nodiscard]] Json take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(mark, anchor, nullptr, "null"); }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    if (awaits_key()) return set_key(mark, anchor, text);
    auto value = read_scalar(tag, text);
    if (!value) throw fail(mark, fmt::format("{} is not of the type {}", quote(text), quote(tag)));
    add(mark, anchor, *std::move(value), text);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end()) throw fail(mark, "an alias within the value that it names");
    if (awaits_key()) {
      if (!known->second.is_string()) throw fail(mark, "expected a string as key");
      return set_key(mark, 0, known->second.get_ref<const std::string&>());
    }
    grow(mark, weight(known->second));
    add(mark, 0, known->second, "");
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    require_tag(mark, tag, "tag:yaml.org,2002:seq", "a sequence");
    open(mark, anchor, Json::array());
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    require_tag(mark, tag, "tag:yaml.org,2002:map", "a mapping");
    open(mark, anchor, Json::object());
  }
  void OnMapEnd() override { close(); }

 private:
  // What is of its kind by its form alone has no tag, or one that says nothing.
  void require_tag(const YAML::Mark& mark, const std::string& tag, std::string_view own,
                   std::string_view what) const {
    if (tag != "?" && !tag.empty() && tag != "!" && tag != own)
      throw fail(mark, fmt::format("{} is not of the type {}", what, quote(tag)));
  }

  /// An array or object that is not complete yet.
  struct Open {
    Json value;
    YAML::anchor_t anchor;
    YAML::Mark mark;
    std::optional<std::string> key;  ///< of the member that comes next
  };

  [[nodiscard]] bool awaits_key() const {
    return !open_.empty() && open_.back().value.is_object() && !open_.back().key;
  }

  void set_key(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& key) {
    grow(mark, key.size());
    if (open_.back().value.contains(key))
      throw fail(mark, fmt::format("the key {} is there twice", quote(key)));
    if (anchor != 0) anchors_[anchor] = key;
    open_.back().key = key;
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, Json value) {
    // The parser takes an unclosed bracket for a key that is a list.
    if (awaits_key()) throw fail(mark, "expected a string as key, or a bracket is not closed");
    if (open_.size() == kMaxJsonDepth) {
      throw fail(mark, fmt::format("nested more than {} levels deep", kMaxJsonDepth));
    }
    open_.push_back({std::move(value), anchor, mark, std::nullopt});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    add(done.mark, done.anchor, std::move(done.value), "");
  }

  /// Puts a complete value where it belongs. `text` is how it is written, should it stand for a key.
  void add(const YAML::Mark& mark, YAML::anchor_t anchor, Json value, const std::string& text) {
    if (awaits_key()) return set_key(mark, anchor, text);
    grow(mark, 1 + (value.is_string() ? value.get_ref<const std::string&>().size() : 0));
    if (anchor != 0) {
      grow(mark, weight(value));
      anchors_[anchor] = value;
    }
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (Open& parent = open_.back(); parent.value.is_array()) {
      parent.value.push_back(std::move(value));
    } else {
      parent.value[*parent.key] = std::move(value);
      parent.key.reset();
    }
  }

  [[nodiscard]] Error fail(const YAML::Mark& mark, std::string_view message) const {
    return error_at(what_, mark, message);
  }

  void grow(const YAML::Mark& mark, std::size_t more) {
    weight_ += more;
    if (weight_ > kMaxYamlBytes) throw fail(mark, "the document is too large with its aliases written out");
  }

  std::string_view what_;
  Json root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Json> anchors_;  ///< complete values that aliases may name
  std::size_t weight_ = 0;
};

}  // namespace

nlohmann::json read_yaml(std::string_view text, std::string_view what) {
  if (text.size() > kMaxYamlBytes) {
    throw error(Kind::invalid, "{}: {} bytes are more than the {} allowed", what, text.size(), kMaxYamlBytes);
  }
  std::istringstream stream{std::string{text}};
  try {
    YAML::Parser parser{stream};
    Builder builder(what);
    parser.HandleNextDocument(builder);
    Builder next(what);
    if (parser.HandleNextDocument(next))
      throw error(Kind::invalid, "{}: expected one YAML document, got more", what);
    return builder.take();
  } catch (const YAML::Exception& failure) {
    throw error_at(what, failure.mark, fmt::format("not valid YAML: {}", failure.msg));
  }
}

}  // namespace fq::document
