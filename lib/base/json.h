// JSON as fq reads and writes it: compact UTF-8 text out, and reading that names the path of what is wrong
// (`resources[0].count: expected an integer, got a string`).

#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace fq {

/// How deep arrays and objects may nest in a text that parse_json takes.
inline constexpr std::size_t kMaxJsonDepth = 128;
/// What the value of such a text may take of memory: one of a few bytes takes thirty times as much as its
/// text. The texts of two million jobs of a submission fit.
inline constexpr std::size_t kMaxJsonBytes = std::size_t{512} << 20;

/// Parses one JSON text, with or without a byte order mark. `what` names it in errors (`jobspec: line 3,
/// column 7: …`). Throws Error{invalid}, also for text that nests too deep, or whose value is too large, and
/// for a key that an object has twice.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, std::string_view what);
/// The JSON texts that stand one after another in `text`, objects and arrays, with or without white space
/// between them. Brackets are matched, nothing else is checked: what is no JSON shows when a piece is parsed.
[[nodiscard]] std::vector<std::string_view> split_json(std::string_view text);
/// Compact JSON text, members in alphabetic order. Bytes that are not UTF-8 are replaced by U+FFFD; infinity
/// and NaN, which JSON does not have, become null.
[[nodiscard]] std::string dump_json(const nlohmann::json& value);
/// Appends the same text to `out`.
void append_json(std::string& out, const nlohmann::json& value);
/// Appends `text` as a JSON string, quotes included. What a terminal must not get (base/utf8.h) is escaped.
void append_json_string(std::string& out, std::string_view text);
/// `an object`, `a string`, … for messages.
[[nodiscard]] std::string_view json_type_name(const nlohmann::json& value);

/// Read access to a JSON value that knows where it stands. Holds a reference: valid while the value is.
class JsonAt {
 public:
  JsonAt(const nlohmann::json& value, std::string path) : value_(&value), path_(std::move(path)) {}

  [[nodiscard]] const nlohmann::json& value() const { return *value_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  // Each checks the type and throws Error{invalid} `PATH: expected …, got …`.
  [[nodiscard]] const std::string& as_string() const;
  [[nodiscard]] std::int64_t as_integer() const;
  /// An integer within [low, high].
  [[nodiscard]] std::int64_t as_integer(std::int64_t low, std::int64_t high) const;
  /// An integer or a real number; finite.
  [[nodiscard]] double as_number() const;
  [[nodiscard]] bool as_boolean() const;
  /// Checks that the value is an object, or an array, and returns itself.
  const JsonAt& object() const;
  const JsonAt& array() const;

  /// The member `key`; Error{invalid} `PATH: missing key 'key'` where there is none. REQUIRES an object.
  [[nodiscard]] JsonAt at(std::string_view key) const;
  /// The member `key`, or nothing.
  [[nodiscard]] std::optional<JsonAt> find(std::string_view key) const;
  /// The element `index`. REQUIRES an array with such an element.
  [[nodiscard]] JsonAt at(std::size_t index) const;
  [[nodiscard]] std::size_t size() const;
  /// Throws Error{invalid} naming the first member that is not one of `keys`, with a near match as hint.
  void allow_only(std::initializer_list<std::string_view> keys) const;

  /// Error{invalid, "PATH: message"}, or the message alone for an empty path, ready to throw.
  [[nodiscard]] class Error fail(std::string_view message) const;

 private:
  const nlohmann::json* value_;
  std::string path_;
};

}  // namespace fq
