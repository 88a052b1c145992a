// A clock that moves when the test says so.

#pragma once

#include "base/clock.h"

namespace fq::test {

class ManualClock final : public Clock {
 public:
  explicit ManualClock(double start = 1'800'000'000) : now_(start) {}
  [[nodiscard]] double now() const override { return now_; }
  [[nodiscard]] double boot_time() const override { return boot_; }
  void advance(double seconds) {
    now_ += seconds;
    boot_ += seconds;
  }
  /// Sets wall time alone, as an administrator does.
  void set(double now) { now_ = now; }

 private:
  double now_;
  double boot_ = 1000;
};

}  // namespace fq::test
