#include "base/file_lock.h"

#include <cerrno>
#include <cmath>
#include <csignal>
#include <ctime>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace fq {
namespace {

int operation(LockMode mode) {
  return mode == LockMode::shared ? LOCK_SH : LOCK_EX;
}

// flock(2) knows no time-out. A timer signal of this thread interrupts it; the timer repeats, so that a
// signal that comes just before flock is entered is made good by the next. A user may have no timer left
// (RLIMIT_SIGPENDING): then the lock is looked at again and again.
class Alarm {
 public:
  explicit Alarm(double first_s) {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    ::sigaction(kSignal, &action, &previous_);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, kSignal);
    ::pthread_sigmask(SIG_UNBLOCK, &set, &previous_mask_);
    struct sigevent event {};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = kSignal;
    event._sigev_un._tid = static_cast<pid_t>(::syscall(SYS_gettid));
    armed_ = ::timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0;
    itimerspec when{};
    when.it_value.tv_sec = static_cast<time_t>(first_s);
    when.it_value.tv_nsec = static_cast<long>((first_s - std::floor(first_s)) * 1e9) + 1;
    when.it_interval.tv_nsec = 20'000'000;
    if (armed_) ::timer_settime(timer_, 0, &when, nullptr);
  }
  /// False where the kernel grants no timer: nothing will interrupt.
  [[nodiscard]] bool armed() const { return armed_; }
  ~Alarm() {
    if (armed_) ::timer_delete(timer_);
    ::pthread_sigmask(SIG_SETMASK, &previous_mask_, nullptr);
    ::sigaction(kSignal, &previous_, nullptr);
  }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

 private:
  const int kSignal = SIGRTMIN + 1;
  struct sigaction previous_ {};
  sigset_t previous_mask_{};
  timer_t timer_{};
  bool armed_ = false;
};

constexpr double kFirstPause = 0.001;  // seconds between looks without a timer: at first
constexpr double kLastPause = 0.05;    // and at most

bool lock_until(int fd, int flags, double timeout_s, const std::string& path) {
  const SystemClock clock;
  const double deadline = clock.boot_time() + timeout_s;
  std::optional<Alarm> alarm;
  if (std::isfinite(timeout_s)) alarm.emplace(std::min(timeout_s, 1e9));
  const bool looks = alarm && !alarm->armed();
  double pause = kFirstPause;
  while (::flock(fd, flags | (looks ? LOCK_NB : 0)) != 0) {
    if (errno != EINTR && !(looks && errno == EWOULDBLOCK))
      throw system_error("cannot lock " + quote(path), errno);
    const double left = deadline - clock.boot_time();
    if (left <= 0) return false;
    if (!looks) continue;
    pause_for(std::min(pause, left));
    pause = std::min(2 * pause, kLastPause);
  }
  return true;
}

}  // namespace

std::optional<FileLock> FileLock::try_acquire(const std::string& path, LockMode mode) {
  UniqueFd fd = open_file(path, O_RDWR | O_CREAT);
  while (::flock(fd.get(), operation(mode) | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return std::nullopt;
    if (errno != EINTR) throw system_error("cannot lock " + quote(path), errno);
  }
  return FileLock{std::move(fd)};
}

std::optional<FileLock> FileLock::acquire(const std::string& path, LockMode mode, double timeout_s) {
  if (auto lock = try_acquire(path, mode)) return lock;
  if (timeout_s <= 0) return std::nullopt;
  UniqueFd fd = open_file(path, O_RDWR | O_CREAT);
  if (!lock_until(fd.get(), operation(mode), timeout_s, path)) return std::nullopt;
  return FileLock{std::move(fd)};
}

void FileLock::unlock() {
  ::flock(fd_.get(), LOCK_UN);
  fd_.reset();
}

std::optional<PlaceLock> PlaceLock::try_acquire(const std::string& path, std::uint64_t places) {
  UniqueFd fd = open_file(path, O_RDWR | O_CREAT);
  for (std::uint64_t place = 0; place < places; ++place) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = static_cast<off_t>(place);
    lock.l_len = 1;
    if (::fcntl(fd.get(), F_OFD_SETLK, &lock) == 0) return PlaceLock{std::move(fd)};
    if (errno != EAGAIN && errno != EACCES) throw system_error("cannot lock " + quote(path), errno);
  }
  return std::nullopt;
}

bool is_locked(const std::string& path) {
  const UniqueFd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!fd.valid()) return false;
  return ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace fq
