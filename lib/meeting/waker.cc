#include "meeting/waker.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/file_lock.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "meeting/enclosure.h"
#include "process/start/detach.h"
#include "process/start/find_program.h"

// This file serves a process that sleeps for weeks: it uses no JSON and nothing of the other layers, so that
// the process stays small.

namespace fq::meeting {
namespace {

constexpr std::size_t kDeadlineSize = 32;   // a line of this length, whatever it says: one write replaces it
constexpr int kPassedLock = 3;              // where start_detached puts the lock
constexpr double kFirstRetry = 1;           // seconds until a tick that did not help is tried again, at first
constexpr double kLastRetry = 60;           // and at most
constexpr double kPatience = 16;            // from this on new work waits for the retry as well
constexpr time_t kNever_s = 9'000'000'000;  // of wall time: the year 2255, about as far as the kernel counts
constexpr double kBlindPoll = 5;            // seconds between looks where there is no inotify
constexpr auto kRunning = "running";
constexpr auto kIdle = "idle";
constexpr auto kUnclean = "unclean\n";

std::string deadline_path(const std::string& store) {
  return store + "/deadline";
}
std::string waker_path(const std::string& store) {
  return store + "/waker";
}

bool is_unclean(const std::string& store) {
  return read_file_if_exists(waker_path(store)) == kUnclean;
}

timespec to_timespec(double time) {
  const double whole = std::floor(time);
  return {static_cast<time_t>(whole), static_cast<long>((time - whole) * 1e9)};
}

std::string padded(std::string text) {
  text.resize(kDeadlineSize - 1, ' ');
  return text + "\n";
}

struct Deadline {
  enum class State { timer, running, idle } state = State::running;
  double time = INFINITY;  ///< boot time of a timer
};

/// A file that is missing or says something else asks for nothing: whoever writes it next will tell.
Deadline read_deadline(const std::string& store) {
  Deadline deadline;
  const std::string text = read_file_if_exists(deadline_path(store)).value_or(kIdle);
  const std::string word{trim(text)};
  if (word == kIdle) deadline.state = Deadline::State::idle;
  char* end = nullptr;
  const double time = std::strtod(word.c_str(), &end);
  if (!word.empty() && *end == '\0' && std::isfinite(time)) deadline = {Deadline::State::timer, time};
  return deadline;
}

/// The lock of a waker: the one that was handed over, or one taken now. One whose file was replaced before
/// this process came to run is not held: whoever unlinked it takes the place, and may not have made its own
/// yet.
class WakerLock {
 public:
  explicit WakerLock(const std::string& store) {
    const std::string path = waker_path(store);
    struct stat passed {};
    struct stat named {};
    // In this order: a lock that was handed over and has not this name was unlinked before it is looked at.
    const bool is_there = ::stat(path.c_str(), &named) == 0;
    const bool is_passed = ::fstat(kPassedLock, &passed) == 0 && S_ISREG(passed.st_mode);
    if (is_passed && passed.st_nlink == 0) return;
    if (is_passed && is_there && passed.st_dev == named.st_dev && passed.st_ino == named.st_ino) {
      ::fcntl(kPassedLock, F_SETFD, FD_CLOEXEC);
      fd_.reset(kPassedLock);
    } else {
      fd_ = open_file(path, O_RDWR | O_CREAT);
    }
    held_ = ::flock(fd_.get(), LOCK_EX | LOCK_NB) == 0;
  }
  [[nodiscard]] bool held() const { return held_; }
  void release() { ::flock(fd_.get(), LOCK_UN); }
  /// Whether the file has been unlinked.
  [[nodiscard]] bool replaced() const {
    struct stat info {};
    return ::fstat(fd_.get(), &info) == 0 && info.st_nlink == 0;
  }

 private:
  UniqueFd fd_;
  bool held_ = false;
};

class Waker {
 public:
  Waker(const std::string& store, const std::string& tick, const Clock& clock)
      : store_(store), tick_(tick), clock_(clock) {}

  int run() {
    WakerLock lock{store_};
    if (!lock.held()) return 0;
    timer_.reset(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
    steps_.reset(::timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK));
    inotify_.reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    watch();
    while (exists(store_ + "/alive") && !lock.replaced()) {
      const Deadline deadline = read_deadline(store_);
      const std::set<std::string> lost = lost_files();
      // Read once: what comes due from here on ends the sleep.
      const double now = clock_.boot_time();
      // The store's time may follow a clock that was set.
      const bool set = std::exchange(clock_set_, false) && deadline.state == Deadline::State::timer;
      const bool due = deadline.time <= now || set;
      if (lost.empty() && !due) {
        retry_s_ = 0;
        retry_at_ = INFINITY;
        if (deadline.state == Deadline::State::idle && ended_idle(lock)) return 0;
      } else if (set || is_new(lost, deadline) || now >= retry_at_) {
        tick(lost, deadline);
        continue;  // what came meanwhile is seen at once
      }
      sleep(deadline, now);
    }
    return 0;
  }

 private:
  void watch() {
    const std::string alive = store_ + "/alive";
    const int shells = ::inotify_add_watch(inotify_.get(), alive.c_str(),
                                           IN_CLOSE_WRITE | IN_EXCL_UNLINK | IN_DELETE_SELF | IN_ONLYDIR);
    const int timers =
        ::inotify_add_watch(inotify_.get(), deadline_path(store_).c_str(), IN_MODIFY | IN_DELETE_SELF);
    const int place = ::inotify_add_watch(inotify_.get(), waker_path(store_).c_str(), IN_ATTRIB);
    sees_changes_ = shells >= 0 && timers >= 0 && place >= 0;
  }

  /// The files in alive/ that nobody holds.
  [[nodiscard]] std::set<std::string> lost_files() const {
    std::set<std::string> lost;
    const std::string path = store_ + "/alive";
    for (const std::string& name : names_in(path).value_or(std::vector<std::string>{})) {
      const std::string file = path + "/" + name;
      if (name[0] != '.' && !is_locked(file) && exists(file)) lost.insert(name);
    }
    return lost;
  }

  /// Whether there is more to do than at the last tick, which did not help.
  [[nodiscard]] bool is_new(const std::set<std::string>& lost, const Deadline& deadline) const {
    // Work that is new each time without end would keep it from sleeping at all.
    if (retry_s_ > kPatience) return false;
    return retry_s_ == 0 || deadline.time != last_time_ ||
           !std::includes(last_lost_.begin(), last_lost_.end(), lost.begin(), lost.end());
  }

  void tick(const std::set<std::string>& lost, const Deadline& deadline) {
    last_lost_ = lost;
    last_time_ = deadline.time;
    retry_s_ = std::clamp(2 * retry_s_, kFirstRetry, kLastRetry);
    try {
      const std::vector<std::string> arguments{"fq-tick", "--store", store_};
      process::run_and_wait(tick_.empty() ? process::find_program("fq-tick") : tick_, arguments);
    } catch (const Error&) {
      // It is tried again.
    }
    retry_at_ = clock_.boot_time() + retry_s_;
  }

  /// True when nothing is left to wait for, which only the store lock makes certain.
  [[nodiscard]] bool ended_idle(WakerLock& lock) {
    const auto store_lock = FileLock::acquire(store_ + "/lock", LockMode::exclusive, INFINITY);
    if (read_deadline(store_).state != Deadline::State::idle) return false;
    lock.release();
    return true;
  }

  /// Until something happens, or the time comes of what was not due at `now`.
  void sleep(const Deadline& deadline, double now) {
    itimerspec when{};
    // One that is due but was not helped by a tick waits for its retry instead.
    if (std::isfinite(deadline.time) && deadline.time > now) when.it_value = to_timespec(deadline.time);
    ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
    // It never comes; that the clock was set makes it readable, or fails if that was since the last look.
    itimerspec never{};
    never.it_value.tv_sec = kNever_s;
    const bool was_set =
        ::timerfd_settime(steps_.get(), TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, nullptr) != 0 &&
        errno == ECANCELED;
    double wait_s = std::max(retry_at_ - now, 0.0);
    if (!sees_changes_) wait_s = std::min(wait_s, kBlindPoll);
    if (was_set) wait_s = 0;
    const int timeout = std::isfinite(wait_s) ? static_cast<int>(std::ceil(wait_s * 1000)) : -1;
    pollfd fds[] = {{inotify_.get(), POLLIN, 0}, {timer_.get(), POLLIN, 0}, {steps_.get(), POLLIN, 0}};
    ::poll(fds, 3, timeout);
    char events[4096];
    while (::read(inotify_.get(), events, sizeof events) > 0) {
    }
    std::uint64_t expirations;
    [[maybe_unused]] const ssize_t ignored = ::read(timer_.get(), &expirations, sizeof expirations);
    clock_set_ =
        was_set || (::read(steps_.get(), &expirations, sizeof expirations) < 0 && errno == ECANCELED);
  }

  std::string store_;
  std::string tick_;
  const Clock& clock_;
  UniqueFd timer_;
  UniqueFd steps_;  ///< of the wall clock
  UniqueFd inotify_;
  bool sees_changes_ = false;
  bool clock_set_ = false;
  double retry_s_ = 0;  ///< 0: the last tick, if any, left nothing to do
  double retry_at_ = INFINITY;
  std::set<std::string> last_lost_;
  double last_time_ = INFINITY;
};

}  // namespace

void set_deadline(const std::string& store_dir, std::optional<double> timer, bool running) {
  const std::string text = padded(timer ? fmt::format("{:.6f}", *timer) : running ? kRunning : kIdle);
  const std::string path = deadline_path(store_dir);
  if (read_file_if_exists(path) == text) return;
  const UniqueFd fd = open_file(path, O_RDWR | O_CREAT);
  write_all(fd.get(), text, path);
  if (::ftruncate(fd.get(), static_cast<off_t>(text.size())) != 0) {
    throw system_error("cannot write " + quote(path), errno);
  }
}

bool waker_alive(const std::string& store_dir) {
  return is_locked(waker_path(store_dir));
}

WakerNeed waker_need(const std::string& store_dir) {
  if (read_deadline(store_dir).state == Deadline::State::idle) return WakerNeed::none;
  if (!is_locked(waker_path(store_dir))) return WakerNeed::missing;
  return is_unclean(store_dir) ? WakerNeed::unclean : WakerNeed::none;
}

void start_waker(const std::string& store_dir, bool clean, const std::string& program) {
  const std::string path = waker_path(store_dir);
  auto lock = FileLock::try_acquire(path, LockMode::exclusive);
  if (!lock && clean && is_unclean(store_dir)) {
    ::unlink(path.c_str());
    lock = FileLock::try_acquire(path, LockMode::exclusive);
  }
  if (!lock) return;
  if (::ftruncate(lock->fd(), 0) != 0) throw system_error("cannot write " + quote(path), errno);
  if (!clean) write_all(lock->fd(), kUnclean, path);
  const std::vector<std::string> arguments{"fq-waker", "--store",
                                           std::filesystem::absolute(store_dir).string()};
  process::start_detached(program.empty() ? process::find_program("fq-waker") : program, arguments,
                          std::array{lock->fd()}, enclosing_environment(store_dir));
  lock->close();
}

int run_waker(const std::string& store_dir, const std::string& tick, const Clock& clock) {
  return Waker{store_dir, tick, clock}.run();
}

int run_waker(const std::string& store_dir, const std::string& tick) {
  return run_waker(store_dir, tick, SystemClock{});
}

}  // namespace fq::meeting
