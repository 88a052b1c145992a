// A program that is spoken to line by line, through its stdin and stdout, while its stderr is read beside
// them: neither side can block the other. It is a process group of its own with default signals and no
// inherited descriptors, and is killed and reaped when this ends, or with the process that started it.

#pragma once

#include <csignal>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/unique_fd.h"

namespace fq::process {

/// Why the program that `name` stands for, a path or a name on PATH, cannot be run (`there is no such file`);
/// empty when it can be.
[[nodiscard]] std::string why_not_executable(const std::string& name);

class ChildChannel {
 public:
  /// The longest line that is taken, bytes.
  static constexpr std::size_t kMaxLine = std::size_t{4} << 20;

  /// Starts `command`; its first word is a path, or a name that is looked for on PATH. `total_s`: for how
  /// many seconds in all it may be waited for. Throws Error{unavailable} when it cannot be run.
  explicit ChildChannel(const std::vector<std::string>& command, double total_s = 60);
  ~ChildChannel();
  ChildChannel(const ChildChannel&) = delete;
  ChildChannel& operator=(const ChildChannel&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }

  /// Sends `line` and a line feed. Throws Error{unavailable} when the program no longer reads,
  /// Error{timeout} when it took nothing for `silence_s` seconds.
  void send_line(std::string_view line, double silence_s);
  /// The next line, without its line feed, or nothing at the end of its output. Throws Error{timeout} after
  /// `silence_s` seconds without a whole line, Error{unavailable} for a line longer than kMaxLine.
  [[nodiscard]] std::optional<std::string> receive_line(double silence_s);
  /// The program reads the end of its input.
  void close_input();
  /// Waits for its end, kills it after `silence_s` seconds. How it ended: empty for exit code 0, else
  /// `it exited with 3`, `signal 9 ended it`, `it does not end`.
  [[nodiscard]] std::string how_it_ended(double silence_s);
  /// The last line of its stderr that is not empty, cut to some hundred bytes.
  [[nodiscard]] std::string last_complaint();

 private:
  /// Waits until something can be read, or written where `writing`, and reads it. False when `until`, in
  /// seconds of boot time, has passed.
  bool wait_for_input(double until, bool writing);
  void read_output();
  void read_errors();
  void reap(bool kill_first);
  [[nodiscard]] double until(double silence_s);

  pid_t pid_ = -1;
  UniqueFd in_, out_, err_;
  std::string output_;        ///< read and not yet taken
  std::size_t searched_ = 0;  ///< so much of it has no line feed
  std::string errors_;        ///< the end of its stderr
  double deadline_;           ///< boot time
  std::optional<int> status_;
  sigset_t before_{};  ///< the signals that were blocked: SIGPIPE is while this lives
};

}  // namespace fq::process
