// What a terminal was told to be by what was written to it (ECMA-48, private modes of xterm): on the
// alternate screen, its cursor hidden, its mouse reported. Who joins a terminal late is told the same, and
// who leaves it puts his own back.

#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace fq::notation {

class TerminalModes {
 public:
  /// Takes in the next bytes that were written; a sequence may be cut anywhere.
  void take(std::string_view bytes);

  /// The sequences that make a fresh terminal what this one is; empty where it is fresh.
  [[nodiscard]] std::string enter_text() const;
  /// The sequences that make this terminal fresh again; empty where it is.
  [[nodiscard]] std::string leave_text() const;
  /// Whether a program draws on the whole screen.
  [[nodiscard]] bool alternate_screen() const;

 private:
  enum class State { text, escape, bracket, numbers };
  static constexpr std::size_t kModes = 16;
  static constexpr std::size_t kMaxNumbers = 64;

  void set(std::string_view numbers, bool on);

  State state_ = State::text;
  std::string numbers_;
  std::array<bool, kModes> changed_{};  ///< by the table of modes: not as in a fresh terminal
  bool keypad_ = false;                 ///< sends what applications want
};

}  // namespace fq::notation
