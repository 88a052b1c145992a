// The only place that asks what time it is. Times are seconds since the Unix epoch as double (RFC 18
// timestamps, microsecond precision); durations are seconds.

#pragma once

#include <string>

namespace fq {

/// Wall time for timestamps, boot time for limits: boot time never jumps and counts suspended time.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Seconds since the Unix epoch.
  [[nodiscard]] virtual double now() const = 0;
  /// Seconds since this machine booted (CLOCK_BOOTTIME).
  [[nodiscard]] virtual double boot_time() const = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] double now() const override;
  [[nodiscard]] double boot_time() const override;
};

/// Wall time that goes on from a known moment by boot time: steps of the system's clock do not reach it.
class ContinuedClock final : public Clock {
 public:
  /// `time` was the wall time when the boot time was `boot_time`. `clock` outlives this.
  ContinuedClock(double time, double boot_time, const Clock& clock)
      : time_(time), boot_time_(boot_time), clock_(clock) {}
  [[nodiscard]] double now() const override;
  [[nodiscard]] double boot_time() const override { return clock_.boot_time(); }

 private:
  double time_;
  double boot_time_;
  const Clock& clock_;
};

/// Sleeps that long, or until a signal is handled.
void pause_for(double seconds);

/// Appends seconds since the epoch as a decimal number, rounded to microseconds and without trailing zeros:
/// `1552593348.073045`, `1552593348`. Reading that number and printing it again gives the same text.
/// REQUIRES a finite timestamp >= 0.
void append_timestamp(std::string& out, double timestamp);
/// The same text by itself.
[[nodiscard]] std::string format_timestamp(double timestamp);

/// The kernel's id of the current boot: processes recorded under another one no longer exist.
[[nodiscard]] std::string boot_id();
/// The id of this installation of the operating system (/etc/machine-id), or empty where there is none.
[[nodiscard]] std::string machine_id();

}  // namespace fq
