// The wire protocol of PMI-1 (RFC 13): lines of KEY=VALUE words.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fq::shell::pmi {

/// One line, in any order of its words and with keys that nobody knows.
class Message {
 public:
  /// Reads a line without its newline. `value` and `msg`, and what runs on behind them, may have blanks.
  /// Nothing for a line with a word that has no `=`, or without words.
  [[nodiscard]] static std::optional<Message> decode(std::string_view line);

  /// The value of a key; nothing where it is not there. Valid while this lives.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view key) const;
  /// The same as a number; nothing where it is none.
  [[nodiscard]] std::optional<int> find_number(std::string_view key) const;

 private:
  std::vector<std::pair<std::string, std::string>> words_;
};

/// Cuts what a task sends into lines.
class Lines {
 public:
  /// The longest line that is taken: longer than any request with the sizes that are told to tasks.
  static constexpr std::size_t kMaxLine = 8192;

  void add(std::string_view bytes) { held_ += bytes; }
  /// The next whole line, without its newline; nothing when there is none.
  [[nodiscard]] std::optional<std::string> next();
  /// Whether a line has begun that is too long to be one.
  [[nodiscard]] bool is_broken() const {
    return held_.size() > kMaxLine && held_.find('\n') == std::string::npos;
  }

 private:
  std::string held_;
};

}  // namespace fq::shell::pmi
