// Times at which something is due in a shell. They are boot time: a step of the wall clock changes none.

#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/unique_fd.h"

namespace fq::shell {

/// A descriptor that can be read when a time has come.
class BootAlarm {
 public:
  /// Throws Error.
  void open();
  [[nodiscard]] int fd() const { return fd_.get(); }
  /// Infinity: never. `now` is boot time; what lies far ahead comes early, to be set again.
  void set(double at, double now) const;

 private:
  UniqueFd fd_;
};

/// `Timer` enumerates what may be due; `expiration`, the end of the job, and `warning`, some time before it,
/// are of them.
template <typename Timer>
class Timers {
 public:
  /// Throws Error.
  void open() { alarm_.open(); }
  [[nodiscard]] int fd() const { return alarm_.fd(); }

  [[nodiscard]] double& operator[](Timer timer) { return times_[timer]; }
  /// Unless it has a time.
  void emplace(Timer timer, double at) { times_.emplace(timer, at); }
  void erase(Timer timer) { times_.erase(timer); }

  /// `time`: seconds since the epoch; 0: no end. A warning comes `warn_before` seconds before it, where
  /// wanted.
  void set_expiration(double time, std::optional<double> warn_before, const Clock& clock) {
    erase(Timer::expiration);
    erase(Timer::warning);
    if (time <= 0) return;
    const double at = clock.boot_time() + (time - clock.now());
    times_[Timer::expiration] = at;
    if (warn_before) times_[Timer::warning] = at - *warn_before;
  }

  /// Has the descriptor wait for the first of them.
  void arm(const Clock& clock) const {
    double next = INFINITY;
    for (const auto& [timer, at] : times_) next = std::min(next, at);
    alarm_.set(next, clock.boot_time());
  }
  /// Those whose time has come, which have none any more.
  [[nodiscard]] std::vector<Timer> take_due(const Clock& clock) {
    const double now = clock.boot_time();
    std::vector<Timer> due;
    std::erase_if(times_, [&](const auto& each) {
      if (each.second > now) return false;
      due.push_back(each.first);
      return true;
    });
    return due;
  }

 private:
  BootAlarm alarm_;
  std::map<Timer, double> times_;
};

}  // namespace fq::shell
