// A job's terminal, shown on this one: what the task writes appears here, what is typed here goes to it, and
// this window's size is its. `~` at the start of a line says something to this command instead:
//
//   ~.    leave the job, which goes on        ~w   write instead of whoever does
//   ~^Z   stop this command for a while       ~?   these
//   ~~    a ~

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <poll.h>
#include <termios.h>

#include "meeting/terminal_link.h"
#include "notation/terminal_modes.h"
#include "process/signals/terminal_signals.h"

namespace fq::cli {

class JobTerminal {
 public:
  struct Options {
    std::string_view command;  ///< who speaks in messages
    bool writes = true;        ///< wants what is typed here to go to the task
    bool owns = false;         ///< the job ends when this terminal goes away
    bool logged = false;       ///< what is not shown here can be read from the job's log
  };
  /// Begins to show it. Where stdin is a terminal it gets every key as it comes; the end of another stdin is
  /// typed as ctrl-D.
  JobTerminal(meeting::TerminalLink link, const Options& options);
  ~JobTerminal();
  JobTerminal(const JobTerminal&) = delete;
  JobTerminal& operator=(const JobTerminal&) = delete;

  /// What to wait for.
  [[nodiscard]] std::vector<pollfd> watched() const;

  enum class Outcome {
    goes_on,
    over,    ///< the task has ended
    lost,    ///< who held the terminal is gone
    left,    ///< the user left it
    killed,  ///< a signal asks this process to end; see signal()
  };
  /// Takes in what has come from either side.
  [[nodiscard]] Outcome take();
  /// Shows what has come, to the last of it, whatever is typed.
  void show_rest();
  /// Whether anything has come yet: from then on all that the task writes does, and so does what it wrote.
  [[nodiscard]] bool began() const { return began_; }
  /// Of what the task writes, the byte from which on it was not shown here: the link was lost, or this end
  /// did not read for so long that it was passed over, which only a terminal puts up with. Nothing where all
  /// was.
  [[nodiscard]] std::optional<std::uint64_t> unshown_from() const;
  [[nodiscard]] int signal() const { return signal_; }

  /// Text of this command as it is to be written here.
  [[nodiscard]] std::string as_shown(std::string_view text) const;

 private:
  void make_raw();
  void restore() noexcept;
  std::optional<Outcome> take_signals();
  std::optional<Outcome> take_output(int most);
  void take_offset(std::string_view text);
  std::optional<Outcome> take_keys();
  std::optional<Outcome> key(char c);
  /// Hands on what was typed; send_typed() sends it.
  void type(std::string_view bytes);
  void send_typed();
  void say_here(std::string_view text);
  void stop();

  meeting::TerminalLink link_;
  Options options_;
  process::TerminalSignals signals_;
  std::optional<termios> settings_;  ///< of stdin as they were, where it is a terminal
  notation::TerminalModes modes_;    ///< of stdout, where it is a terminal
  bool out_is_terminal_;
  bool began_ = false;
  bool over_ = false;         ///< the last of the output has come
  bool passed_over_ = false;  ///< and nothing more is shown
  std::uint64_t shown_ = 0;   ///< the byte of the output that comes next
  bool reads_ = true;         ///< stdin has not ended
  bool writes_ = false;       ///< what is typed goes to the task
  bool knows_part_ = false;   ///< has been told whether it writes
  bool line_start_ = true;
  std::string typed_;
  bool escape_ = false;  ///< the last key was a `~` at the start of a line
  int signal_ = 0;
};

}  // namespace fq::cli
