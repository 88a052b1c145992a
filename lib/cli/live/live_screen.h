// A screen that is drawn again and again in place, on the terminal's alternate screen: at its end, however it
// comes, the terminal shows what it showed before.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include <termios.h>

#include "base/unique_fd.h"
#include "process/signals/terminal_signals.h"

namespace fq::cli {

/// The keys that mean something on a screen: `q`, the arrows, of which `k` and `j` are up and down, and
/// Enter.
enum class Key : std::uint8_t { quit, up, down, back, enter };

class LiveScreen {
 public:
  /// Throws Error{refused} where stdout is no terminal, or a dumb one. Comes before any thread is made, for
  /// signals go to whichever lets them in.
  LiveScreen();
  ~LiveScreen();
  LiveScreen(const LiveScreen&) = delete;
  LiveScreen& operator=(const LiveScreen&) = delete;

  /// Readable when a key was pressed or a signal came.
  [[nodiscard]] int input_fd() const { return input_.get(); }
  /// Takes in keys and signals. Returns the exit code where the user ended it: 0 for `q`, else 128 + the
  /// signal's number. Stops with the process where a signal says so, and draws anew on return. `pressed` is
  /// given each key, and says whether that is all that it does.
  [[nodiscard]] std::optional<int> take_input(const std::function<bool(Key)>& pressed = {});

  /// How many of so many lines a screen of `rows` shows, of the first and of the last. REQUIRES rows > 0.
  [[nodiscard]] static std::pair<std::size_t, std::size_t> shown_lines(std::size_t lines, std::size_t rows);
  /// How many rows it has now.
  [[nodiscard]] static std::size_t rows();

  /// Shows these lines, from the first time on in place of what was there. Where the screen has no room for
  /// them it shows the first and the last, and one between that says how many they are; `left_out` more are
  /// missing there already. REQUIRES more lines than a screen has where something is left out.
  void draw(std::string_view text, std::size_t left_out = 0);

 private:
  void enter();
  void leave() noexcept;

  process::TerminalSignals signals_;
  UniqueFd input_;
  bool entered_ = false;
  std::optional<termios> settings_;  ///< of stdin as they were, if that is a terminal
};

}  // namespace fq::cli
