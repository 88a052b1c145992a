// Configuration as it is written: TOML 1.0, or JSON where it begins with a brace, in one file or several that
// make one document. It becomes a JSON value that remembers where each of its keys stands, so that what is
// wrong in it can be named by file and line. The one place that reads TOML: what is loaded is kept as JSON.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace fq::document {

/// Checks a table that only its own layer understands. Throws Error{invalid}.
using OpaqueReader = std::function<void(const nlohmann::json& table)>;

/// Checks a program that a configuration names. Throws Error{invalid} for one that cannot be run.
using ProgramCheck = std::function<void(const std::string& program)>;

/// Keys that lead to a value, from the outermost table inwards; `[N]` is the element N of an array.
using ConfigPath = std::vector<std::string>;

class ConfigSource {
 public:
  struct File {
    std::string name;  ///< as errors say it
    std::string text;
  };
  /// The most bytes that one file may have: some 60 000 queues.
  static constexpr std::size_t kMaxBytes = 8U << 20;

  /// Reads and joins the files: tables of the same name become one, any other key may stand in one file only.
  /// Throws Error{invalid} `fq.toml:3:12: …` with line and column for what is no TOML, and for dates and
  /// numbers that are not finite, which no key takes.
  explicit ConfigSource(const std::vector<File>& files);
  ~ConfigSource();
  ConfigSource(const ConfigSource&) = delete;
  ConfigSource& operator=(const ConfigSource&) = delete;

  /// The joined document, an object.
  [[nodiscard]] const nlohmann::json& document() const;
  /// Where the value at `path` stands, or else the nearest table around it: `fq.toml:12`; of JSON the file.
  [[nodiscard]] std::string place(const ConfigPath& path) const;

 private:
  struct Parsed;
  std::unique_ptr<const Parsed> parsed_;
};

/// A value of a configuration and the way to it. Holds references: valid while document and source are.
class ConfigAt {
 public:
  /// `source` may be null: what is wrong is then named by its path alone.
  ConfigAt(const nlohmann::json& document, const ConfigSource* source);

  [[nodiscard]] const nlohmann::json& value() const { return *value_; }
  /// The keys with dots between them: `queues.debug.policy`, `resource.config[0].hosts`.
  [[nodiscard]] std::string path() const;

  /// The member `key` of a table, or nothing. Throws Error{invalid} where this is no table.
  [[nodiscard]] std::optional<ConfigAt> find(std::string_view key) const;
  /// The members of a table.
  [[nodiscard]] std::vector<ConfigAt> members() const;
  /// The elements of an array of tables. Throws Error{invalid} where this is none.
  [[nodiscard]] std::vector<ConfigAt> elements() const;
  /// The last key of the path. REQUIRES that this is not the document itself.
  [[nodiscard]] std::string_view key() const { return path_.back(); }
  /// Throws Error{invalid} for the first member that is not one of `keys`, with a near match as hint.
  void allow_only(std::initializer_list<std::string_view> keys) const;

  // Each checks the type, and throws Error{invalid} `fq.toml:12: queues.debug.parent: expected …, got …`.
  [[nodiscard]] const std::string& as_string() const;
  /// An integer within [low, high].
  [[nodiscard]] std::int64_t as_integer(std::int64_t low, std::int64_t high) const;
  [[nodiscard]] bool as_boolean() const;
  /// A string that is a duration (RFC 23), in seconds.
  [[nodiscard]] double as_duration() const;
  /// The value that `parse` makes of a string; what it throws becomes `fail`.
  template <typename Parse>
  [[nodiscard]] auto as_parsed(Parse parse) const {
    const std::string& text = as_string();
    try {
      return parse(text);
    } catch (const Error& failure) {
      throw fail(failure.what(), failure.hint());
    }
  }
  /// An array of strings, none of them empty.
  [[nodiscard]] std::vector<std::string> as_strings() const;

  /// Error{invalid} that names file, line and path, ready to throw.
  [[nodiscard]] Error fail(std::string_view message, const std::string& hint = {}) const;
  /// The same, with the line of `cause`, a value below this one.
  [[nodiscard]] Error fail_at(const ConfigAt& cause, std::string_view message,
                              const std::string& hint = {}) const;

 private:
  const nlohmann::json* value_;
  const ConfigSource* source_;
  ConfigPath path_;
};

}  // namespace fq::document
