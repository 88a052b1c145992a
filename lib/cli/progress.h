// A counter line on the terminal while a command works long (`submitting 1200 of 5000`), redrawn in place.
// Where stderr is no terminal nothing is written.

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

  /// Counts to `total` on stderr, if that is a terminal. `what` is a verb form: `submitting`.
  Progress(std::string_view what, std::uint64_t total);
  /// The same with given facts; `write` gets what would go to a terminal that is `columns` wide. `clock` must
  /// outlive this.
  Progress(std::string_view what, std::uint64_t total, const Clock& clock, int columns,
           std::function<void(std::string_view)> write);
  /// Erases the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Says that `done` of the total are done; draws if kInterval_s has passed, and when all are done.
  void update(std::uint64_t done);
  /// Erases the line, so that other text can be written; the next update draws it again.
  void clear();

 private:
  std::string what_;
  std::uint64_t total_;
  SystemClock system_clock_;
  const Clock* clock_;
  int columns_ = 0;
  std::function<void(std::string_view)> write_;  ///< empty: not a terminal
  double drawn_at_ = 0;
  bool drawn_once_ = false;
  bool visible_ = false;
};

}  // namespace fq::cli
