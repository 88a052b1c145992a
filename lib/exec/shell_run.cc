#include "exec/shell_run.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <ctime>

#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fault_point.h"
#include "base/text.h"
#include "exec/cgroup.h"
#include "exec/process_tree.h"
#include "exec/tmpdir.h"
#include "notation/fsd.h"

namespace fq::exec {

using nlohmann::json;

namespace {

constexpr std::size_t kReadSize = 65536;
constexpr double kRetryOutput = 0.2;  // seconds between tries on a full disk
constexpr double kPollControl = 1.0;  // where there is no inotify
constexpr double kLongSleep = 86400;
constexpr double kKillAgain = 0.05;  // what was forked meanwhile is found by the next try
constexpr double kAskAgain = 0.1;
constexpr double kSeldom =
    2.0;  // the longest pause of both: a process in the kernel's hands ends when it can
constexpr int kDrainTries = 10;
constexpr int kShellFailed = 1;   // exit code of a shell that could not run the job
constexpr int kSignalBase = 128;  // and of a task ended by a signal, less its number

int exit_code_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? kSignalBase + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

void pause_for(double seconds) {
  const timespec pause{0, static_cast<long>(seconds * 1e9)};
  ::nanosleep(&pause, nullptr);
}

}  // namespace

ShellRun::ShellRun(const JobFiles& files, const LaunchPlan& launch, const Clock& clock)
    : files_(files), launch_(launch), clock_(clock) {}

ShellRun::~ShellRun() = default;

ShellOutcome ShellRun::run() {
  std::string wrong;
  fault_point("shell-began");
  try {
    prepare_process();
    read_job();
  } catch (const std::exception& failure) {
    wrong = failure.what();
  }
  try {
    open_logs();
    for (const std::string& message : std::exchange(early_, {})) output_->log(4, message);
    exec_log_->post("shell.init", {{"leader-rank", plan_.nodes.empty() ? 0 : plan_.nodes.front().rank},
                                   {"size", plan_.nodes.size()}});
    if (!wrong.empty()) throw Error{Kind::invalid, wrong};
    watch_control();
    set_expiration(launch_.expiration);
    on_control();
    on_time();
    enter_directory();
    open_streams();
    fault_point("streams-opened");
    if (!ending_) start_all();
    fault_point("tasks-started");
    for (const int number : std::exchange(early_signals_, {})) signal_tasks(number);
    if (!tasks_.empty()) exec_log_->post("shell.start", {{"taskmap", plan_.taskmap.to_wrapped_json()}});
  } catch (const std::exception& failure) {
    exit_code_ = std::max(exit_code_, kShellFailed);
    fail(failure.what());
  }
  loop();
  fault_point("tasks-ended");
  drain();
  return finish();
}

void ShellRun::loop() {
  reap();
  while (!gone_) {
    wait();
    on_signals();
    on_control();
    if (input_) input_->feed();
    for (const Ready& ready : ready_) {
      if (!ready.stream) {
        check_started(ready.rank);
      } else if (!output_->blocked()) {
        read_output(ready.rank, *ready.stream, true);
      }
    }
    if (!output_->flush()) timers_.emplace(Timer::retry_output, clock_.boot_time() + kRetryOutput);
    on_time();
  }
}

void ShellRun::wait() {
  std::vector<pollfd> fds{
      {signals_.get(), POLLIN, 0}, {clock_fd_.get(), POLLIN, 0}, {inotify_.get(), POLLIN, 0}};
  if (input_) {
    for (const int fd : input_->full_pipes()) fds.push_back({fd, POLLOUT, 0});
  }
  const std::size_t first = fds.size();
  std::vector<Ready> watched;
  const auto watch = [&](const UniqueFd& fd, Ready what) {
    if (!fd.valid()) return;
    fds.push_back({fd.get(), POLLIN, 0});
    watched.push_back(what);
  };
  const bool read = !output_->blocked();
  for (std::uint32_t rank = 0; rank < tasks_.size(); ++rank) {
    watch(tasks_[rank].failed, {rank, std::nullopt});
    if (!read) continue;
    watch(tasks_[rank].out, {rank, Stream::out});
    watch(tasks_[rank].err, {rank, Stream::err});
  }
  set_clock();
  ::poll(fds.data(), fds.size(), -1);
  ready_.clear();
  for (std::size_t i = 0; i < watched.size(); ++i) {
    if (fds[first + i].revents != 0) ready_.push_back(watched[i]);
  }
}

void ShellRun::set_clock() {
  std::uint64_t expirations;
  [[maybe_unused]] const ssize_t ignored = ::read(clock_fd_.get(), &expirations, sizeof expirations);
  itimerspec when{};
  double next = INFINITY;
  for (const auto& [timer, time] : timers_) next = std::min(next, time);
  // What lies further ahead than this does not fit the clock; it is looked at again then.
  next = std::min(next, clock_.boot_time() + kLongSleep);
  if (!timers_.empty()) {
    next = std::max(next, 1e-3);  // a time of zero would disarm the clock
    when.it_value.tv_sec = static_cast<time_t>(next);
    when.it_value.tv_nsec = static_cast<long>((next - std::floor(next)) * 1e9);
  }
  ::timerfd_settime(clock_fd_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

void ShellRun::on_signals() {
  bool child = false;
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGCHLD) {
      child = true;
    } else {
      signal_tasks(static_cast<int>(info.ssi_signo));
    }
  }
  if (child) reap();
}

void ShellRun::on_control() {
  char events[4096];
  while (inotify_.valid() && ::read(inotify_.get(), events, sizeof events) > 0) {
  }
  if (!control_) return;
  for (const ControlOrder& order : control_->read()) {
    if (const auto* signal = std::get_if<ControlSignal>(&order)) {
      // Who saw the job running meant its tasks, started or not.
      if (tasks_.empty()) early_signals_.push_back(signal->number);
      signal_tasks(signal->number);
    } else if (const auto* expiration = std::get_if<ControlExpiration>(&order)) {
      set_expiration(expiration->time);
    } else {
      end_tasks();
    }
  }
}

void ShellRun::set_expiration(double time) {
  timers_.erase(Timer::expiration);
  timers_.erase(Timer::warning);
  if (time <= 0) return;
  // From here on boot time counts: a step of the wall clock changes no limit.
  const double at = clock_.boot_time() + (time - clock_.now());
  timers_[Timer::expiration] = at;
  if (options_.signal) timers_[Timer::warning] = at - options_.signal->timeleft;
}

void ShellRun::on_time() {
  const double now = clock_.boot_time();
  std::vector<Timer> due;
  for (const auto& [timer, time] : timers_) {
    if (time <= now) due.push_back(timer);
  }
  for (const Timer timer : due) {
    timers_.erase(timer);
    on_timer(timer);
  }
}

void ShellRun::on_timer(Timer timer) {
  switch (timer) {
    case Timer::expiration:
      if (ending_) return;
      raise("timelimit", 0, "resource allocation expired");
      end_tasks();
      return;
    case Timer::warning:
      signal_tasks(options_.signal->signum);
      return;
    case Timer::exit_timeout:
      if (!all_exited()) {
        fail(fmt::format("a task exited and exit-timeout={} has expired",
                         notation::format_fsd_digits(*options_.exit_timeout)));
      }
      return;
    case Timer::kill:
      kill_again_ = std::min(std::max(2 * kill_again_, kKillAgain), kSeldom);
      timers_[Timer::kill] = clock_.boot_time() + kill_again_;
      signal_descendants(SIGKILL);
      reap();
      return;
    case Timer::ask:
      ask_to_end();
      return;
    case Timer::retry_output:
      return;  // the loop flushes
    case Timer::poll_control:
      timers_[Timer::poll_control] = clock_.boot_time() + kPollControl;
      return;
  }
}

void ShellRun::reap() {
  for (;;) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid <= 0) {
      gone_ = pid < 0 && errno == ECHILD;
      break;
    }
    const auto task = by_pid_.find(pid);
    if (task == by_pid_.end()) continue;
    const std::uint32_t rank = task->second;
    by_pid_.erase(task);
    on_exit(rank, status);
  }
  if (gone_ || !all_exited()) return;
  // The tasks are over; what they left behind ends too.
  if (ending_) {
    ask_to_end();
  } else {
    end_tasks();
  }
}

void ShellRun::on_exit(std::uint32_t rank, int wait_status) {
  check_started(rank);
  Task& task = tasks_[rank];
  task.failed.reset();
  task.exited = true;
  --running_;
  if (input_) input_->close(rank);
  exit_code_ = std::max(exit_code_, exit_code_of(wait_status));
  json context{{"localid", plan_.tasks[rank].local_id},
               {"rank", rank},
               {"state", "Exited"},
               {"pid", task.pid},
               {"wait_status", wait_status},
               {"signaled", WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0},
               {"exitcode", exit_code_of(wait_status)}};
  exec_log_->post("shell.task-exit", context);
  if (options_.exit_on_error && wait_status != 0 && !ending_) {
    fail(fmt::format("{}: task rank {} on host {} failed and exit-on-error is set", jobspec_->name(), rank,
                     plan_.nodes[plan_.tasks[rank].node].host),
         wait_status);
  }
  if (options_.exit_timeout) {
    timers_.emplace(Timer::exit_timeout, clock_.boot_time() + *options_.exit_timeout);
  }
}

void ShellRun::check_started(std::uint32_t rank) {
  Task& task = tasks_[rank];
  if (!task.failed.valid()) return;
  bool pending = false;
  const auto reason = start_failure(task.failed, pending);
  if (!pending) task.failed.reset();
  if (!reason) return;
  const PlannedNode& node = plan_.nodes[plan_.tasks[rank].node];
  fail(fmt::format("task {} on {}: cannot run {}: {}", rank, node.host, quote(jobspec_->command().front()),
                   std::strerror(*reason)));
}

void ShellRun::read_output(std::uint32_t rank, Stream stream, bool once) {
  UniqueFd& fd = stream == Stream::out ? tasks_[rank].out : tasks_[rank].err;
  char buffer[kReadSize];
  while (fd.valid()) {
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n > 0) {
      output_->write(rank, stream, {buffer, static_cast<std::size_t>(n)});
      if (once) return;
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else if (n < 0 && errno == EAGAIN) {
      return;
    } else {
      output_->close(rank, stream);
      fd.reset();
    }
  }
}

void ShellRun::drain() {
  if (!output_) return;
  // All that is left stands in the pipes, which hold little.
  for (std::uint32_t rank = 0; rank < tasks_.size(); ++rank) {
    read_output(rank, Stream::out, false);
    read_output(rank, Stream::err, false);
  }
  output_->close_all();
  for (int i = 0; i < kDrainTries && !output_->flush(); ++i) pause_for(kRetryOutput);
  if (output_->give_up()) raise("exec", 1, "output is incomplete: it could not be written");
}

void ShellRun::signal_tasks(int number) {
  for (const auto& [pid, rank] : by_pid_) {
    // Its pid is its own until it is reaped. It may have left the group that was made for it.
    if (!options_.new_process_group || ::kill(-pid, number) != 0) ::kill(pid, number);
  }
}

void ShellRun::end_tasks() {
  if (std::exchange(ending_, true)) return;
  timers_[Timer::kill] = clock_.boot_time() + std::max(launch_.kill_grace_s, 0.0);
  ask_to_end();
}

void ShellRun::ask_to_end() {
  // Shells that tasks started for other jobs are not among these, and may stay.
  const std::size_t left = terminator_.ask();
  gone_ = left == 0 && all_exited();
  ask_again_ = std::min(std::max(2 * ask_again_, kAskAgain), kSeldom);
  timers_[Timer::ask] = clock_.boot_time() + ask_again_;
}

void ShellRun::fail(const std::string& note, std::optional<int> wait_status) {
  log(2, note);
  if (exceptions_.empty()) raise("exec", 0, note, wait_status);
  end_tasks();
}

void ShellRun::raise(const char* type, int severity, const std::string& note,
                     std::optional<int> wait_status) {
  json context{{"type", type}, {"severity", severity}, {"note", note}};
  if (wait_status) context["wait_status"] = *wait_status;
  exceptions_.push_back({clock_.now(), "exception", std::move(context), nullptr});
  if (exec_log_) exec_log_->post(exceptions_.back());
}

void ShellRun::log(int level, const std::string& message) {
  if (output_) {
    output_->log(level, message);
  } else {
    early_.push_back(message);
  }
}

ShellOutcome ShellRun::finish() {
  ShellOutcome outcome;
  // A job that was told to end before it began ended by that signal.
  int code = tasks_.empty() && exit_code_ == 0 ? kSignalBase + SIGTERM : exit_code_;
  if (!exceptions_.empty()) {
    const json& context = exceptions_.front().context;
    const auto cause = context.find("wait_status");
    if (cause != context.end()) code = exit_code_of(cause->get<int>());
  }
  outcome.status = code << 8;
  outcome.exceptions = std::move(exceptions_);
  outcome.t_finish = clock_.now();
  input_.reset();
  output_.reset();
  if (!tmpdir_.empty()) remove_job_tmpdir(tmpdir_);
  if (!cgroup_.empty()) remove_job_cgroup(cgroup_);
  if (exec_log_) exec_log_->complete(outcome);
  if (::chdir("/") != 0) log(4, "cannot leave the job's directory");
  ::umask(077);
  if (!limits_.limits.empty()) {
    const rlimit descriptors{limits_.limits.front().soft, limits_.limits.front().hard};
    ::setrlimit(RLIMIT_NOFILE, &descriptors);
  }
  set_subreaper(false);
  return outcome;
}

}  // namespace fq::exec
