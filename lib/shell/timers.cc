#include "shell/timers.h"

#include <cerrno>
#include <cstdint>
#include <ctime>

#include <sys/timerfd.h>
#include <unistd.h>

#include "base/error.h"

namespace fq::shell {

void BootAlarm::open() {
  fd_.reset(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!fd_.valid()) throw system_error("cannot watch the time", errno);
}

void BootAlarm::set(double at, double now) const {
  constexpr double kLongest = 86400;  // what lies further ahead does not fit the clock
  std::uint64_t expirations;
  [[maybe_unused]] const ssize_t ignored = ::read(fd_.get(), &expirations, sizeof expirations);
  itimerspec when{};
  if (at < INFINITY) {
    const double next = std::max(std::min(at, now + kLongest), 1e-3);  // a time of zero would disarm it
    when.it_value.tv_sec = static_cast<time_t>(next);
    when.it_value.tv_nsec = static_cast<long>((next - std::floor(next)) * 1e9);
  }
  ::timerfd_settime(fd_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

}  // namespace fq::shell
