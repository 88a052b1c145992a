// A bar on the terminal while a command works long, redrawn in place. Where stderr is no terminal nothing is
// written.
//
//   Submitting 5000 jobs: [======>            ]  38.0% 0:00:12

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace fq::cli {

class Progress {
 public:
  /// Seconds between two drawings.
  static constexpr double kInterval_s = 0.1;

  /// Draws on stderr, if that is a terminal. `rate`: `12.5 job/s` at the end instead of the time so far.
  explicit Progress(bool rate);
  /// The same with given facts; `write` gets what would go to a terminal that is `columns` wide. `clock` must
  /// outlive this.
  Progress(bool rate, const Clock& clock, int columns, std::function<void(std::string_view)> write);
  /// Leaves the last state as a line of its own.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Whether there is a terminal.
  [[nodiscard]] bool is_shown() const { return static_cast<bool>(write_); }

  /// Says that `done` of `total` are done, and what stands before the bar; draws if kInterval_s has passed
  /// since the last time, and when all are done.
  void update(std::string_view before, std::uint64_t done, std::uint64_t total);
  /// Erases the line, so that other text can be written; the next update draws it again.
  void clear();

 private:
  [[nodiscard]] std::string line(std::string_view before, std::uint64_t done, std::uint64_t total) const;

  bool rate_;
  SystemClock system_clock_;
  const Clock* clock_;
  int columns_ = 0;
  std::function<void(std::string_view)> write_;  ///< empty: not a terminal
  double began_at_ = 0;
  double drawn_at_ = 0;
  bool drawn_once_ = false;
  bool visible_ = false;
};

}  // namespace fq::cli
