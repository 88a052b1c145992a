// A line to a scheduler that is another program: what sched::External speaks through. The process behind it
// is exec's.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fq::sched {

class Channel {
 public:
  virtual ~Channel() = default;

  /// Sends one line; `line` has no line feed. Throws Error{unavailable} when nobody reads it.
  virtual void send_line(std::string_view line) = 0;
  /// The next line, without its line feed; nothing at the end of what the other side says. Throws
  /// Error{timeout} after `silence_s` seconds without one, Error{unavailable} for a line that is too long.
  [[nodiscard]] virtual std::optional<std::string> receive_line(double silence_s) = 0;
  /// The other side reads the end of its input.
  virtual void close_input() = 0;
  /// How the program ended, `it exited with 3` for example, once receive_line has given nothing; empty when
  /// it ended well. Waits for its end for `silence_s` seconds, after which it is killed and that is said.
  [[nodiscard]] virtual std::string how_it_ended(double silence_s) = 0;
  /// The last line that it has written to its stderr; empty where there is none.
  [[nodiscard]] virtual std::string last_complaint() = 0;
};

}  // namespace fq::sched
