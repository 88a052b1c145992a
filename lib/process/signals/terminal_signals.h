// Signals of a command that draws on the whole terminal: they come as input to wait for, so that the terminal
// is put back in order before they have their effect.

#pragma once

#include <array>
#include <csignal>

#include "base/unique_fd.h"

namespace fq::process {

/// While it lives, INT, TERM, HUP, QUIT, TSTP, CONT and WINCH (the window has another size) have no effect
/// but that they can be taken here, by the thread that made it. One at a time in a process.
class TerminalSignals {
 public:
  TerminalSignals();
  ~TerminalSignals();
  TerminalSignals(const TerminalSignals&) = delete;
  TerminalSignals& operator=(const TerminalSignals&) = delete;

  /// Readable when a signal has come.
  [[nodiscard]] int fd() const { return fd_.get(); }
  /// The number of the next signal that has come, or 0.
  [[nodiscard]] int take();
  /// Stops this process until it is continued.
  void stop();

 private:
  static constexpr std::array kTaken{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH};

  UniqueFd fd_;
  sigset_t previous_{};
  std::array<struct sigaction, kTaken.size()> actions_{};
};

}  // namespace fq::process
