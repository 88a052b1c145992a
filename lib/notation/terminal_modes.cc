#include "notation/terminal_modes.h"

#include <algorithm>
#include <iterator>

#include <fmt/core.h>

namespace fq::notation {
namespace {

struct Mode {
  unsigned number;
  bool fresh;  ///< how a fresh terminal has it
  bool alternate_screen;
};

// The screen comes first: what else is set belongs to it.
constexpr Mode kTable[] = {
    {47, false, true},    {1047, false, true},  {1049, false, true},  {1, false, false},
    {7, true, false},     {25, true, false},    {9, false, false},    {1000, false, false},
    {1002, false, false}, {1003, false, false}, {1004, false, false}, {1005, false, false},
    {1006, false, false}, {1015, false, false}, {1007, false, false}, {2004, false, false},
};

std::string sequence(const Mode& mode, bool on) {
  return fmt::format("\033[?{}{}", mode.number, on ? 'h' : 'l');
}

constexpr auto kKeypadOn = "\033=";
constexpr auto kKeypadOff = "\033>";

}  // namespace

void TerminalModes::set(std::string_view numbers, bool on) {
  while (!numbers.empty()) {
    const std::string_view number = numbers.substr(0, numbers.find(';'));
    for (std::size_t i = 0; i < kModes; ++i) {
      if (number == std::to_string(kTable[i].number)) changed_[i] = on != kTable[i].fresh;
    }
    numbers.remove_prefix(std::min(number.size() + 1, numbers.size()));
  }
}

void TerminalModes::take(std::string_view bytes) {
  static_assert(std::size(kTable) == kModes);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const char c = bytes[at];
    if (c == '\033') {
      state_ = State::escape;
      continue;
    }
    switch (state_) {
      case State::text:
        at = std::min(bytes.find('\033', at), bytes.size()) - 1;
        break;
      case State::escape:
        if (c == '=' || c == '>') keypad_ = c == '=';
        if (c == 'c') *this = {};
        state_ = c == '[' ? State::bracket : State::text;
        break;
      case State::bracket:
        numbers_.clear();
        state_ = c == '?' ? State::numbers : State::text;
        break;
      case State::numbers:
        if ((c >= '0' && c <= '9') || c == ';') {
          if (numbers_.size() < kMaxNumbers) numbers_ += c;
          break;
        }
        if (c == 'h' || c == 'l') set(numbers_, c == 'h');
        state_ = State::text;
        break;
    }
  }
}

std::string TerminalModes::enter_text() const {
  std::string text;
  for (std::size_t i = 0; i < kModes; ++i) {
    if (changed_[i]) text += sequence(kTable[i], !kTable[i].fresh);
  }
  return keypad_ ? text + kKeypadOn : text;
}

std::string TerminalModes::leave_text() const {
  std::string text = keypad_ ? kKeypadOff : "";
  for (std::size_t i = kModes; i-- > 0;) {
    if (changed_[i]) text += sequence(kTable[i], kTable[i].fresh);
  }
  return text;
}

bool TerminalModes::alternate_screen() const {
  for (std::size_t i = 0; i < kModes; ++i) {
    if (changed_[i] && kTable[i].alternate_screen) return true;
  }
  return false;
}

}  // namespace fq::notation
