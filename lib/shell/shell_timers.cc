// The timers of a run of the job shell: the time limit and its warning, the grace of tasks that were told to
// end, what is looked at again. See shell_run.h.

#include <algorithm>
#include <csignal>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "meeting/enclosure.h"
#include "notation/fsd.h"
#include "process/start/detach.h"
#include "process/start/find_program.h"
#include "process/tree/process_tree.h"
#include "shell/shell_run.h"

namespace fq::shell {
namespace {

constexpr double kPollControl = 1.0;  // where there is no inotify
constexpr double kKillAgain = 0.05;   // what was forked meanwhile is found by the next try
constexpr double kAskAgain = 0.1;
constexpr double kSeldom = 2.0;  // the longest pause of both: what the kernel holds ends when it can

}  // namespace

void ShellRun::set_expiration(double time) {
  timers_.set_expiration(time, options_.signal ? std::optional{options_.signal->timeleft} : std::nullopt,
                         clock_);
}

std::optional<std::string> ShellRun::instance_inside() const {
  if (!jobspec_ || !jobspec_->batch() || tmpdir_.empty()) return std::nullopt;
  std::string path = meeting::instance_path(tmpdir_);
  if (!exists(path)) return std::nullopt;
  return path;
}

void ShellRun::move_instance_end(double expiration) {
  try {
    const auto instance = instance_inside();
    if (!instance) return;
    const std::vector<std::string> words{"fq-tick", "--store", *instance, "--expiration",
                                         fmt::format("{:.6f}", expiration)};
    process::start_detached(process::find_program("fq-tick"), words, {},
                            meeting::enclosing_environment(*instance));
  } catch (const Error& failure) {
    log(4, fmt::format("what runs in the job's instance keeps its limit: {}", failure.what()));
  }
}

void ShellRun::on_time() {
  for (const Timer timer : timers_.take_due(clock_)) on_timer(timer);
}

void ShellRun::on_timer(Timer timer) {
  switch (timer) {
    case Timer::expiration:
      if (ending_) return;
      raise(meeting::kTimeLimit, 0, "resource allocation expired");
      end_tasks();
      return;
    case Timer::warning:
      signal_tasks(options_.signal->signum);
      return;
    case Timer::exit_timeout:
      if (!all_exited()) {
        fail(fmt::format("{} exited and exit-timeout={} has expired", task_words(first_exit_->rank),
                         notation::format_fsd_digits(*options_.exit_timeout)),
             first_exit_->wait_status);
      }
      return;
    case Timer::kill:
      kill_what_is_left();
      return;
    case Timer::ask:
      ask_to_end();
      return;
    case Timer::terminal:
      return;  // the loop sees to it
    case Timer::retry_output:
      // The loop has tried, and sets it anew only where it is not set.
      if (output_->blocked()) timers_[Timer::retry_output] = clock_.boot_time() + kRetryOutput;
      return;
    case Timer::sessions:
      sessions_->look();
      timers_[Timer::sessions] = sessions_->next();
      return;
    case Timer::poll_control:
      timers_[Timer::poll_control] = clock_.boot_time() + kPollControl;
      return;
  }
}

void ShellRun::expect_sessions() {
  if (!sessions_) return;
  sessions_->expect();
  timers_[Timer::sessions] = sessions_->next();
}

void ShellRun::end_tasks() {
  if (std::exchange(ending_, true)) return;
  timers_[Timer::kill] = clock_.boot_time() + std::max(launch_.kill_grace_s, 0.0);
  ask_to_end();
}

void ShellRun::ask_to_end() {
  // What talks to a person may pass over the signal that asks to end, but not that the person is gone: it is
  // told again, for an interactive bash notes that while it begins, and then waits for keys.
  for (const auto& [pid, rank] : by_pid_) {
    if (on_terminal(rank)) ::kill(pid, SIGHUP);
  }
  // Shells that tasks started for other jobs are not among these, and may stay.
  const std::size_t left = asker_.tell(launch_.term_signal);
  gone_ = left == 0 && all_exited();
  ask_again_ = std::min(std::max(2 * ask_again_, kAskAgain), kSeldom);
  timers_[Timer::ask] = clock_.boot_time() + ask_again_;
}

void ShellRun::kill_what_is_left() {
  const double now = clock_.boot_time();
  if (kills_.is_due(now)) {
    const process::KillRules rules{launch_.kill_grace_s, launch_.max_kill_count};
    if (kills_.are_over(rules)) return give_up();
    kills_.begin(rules, now);
    killer_ = {};
    kill_again_ = 0;
  }
  killer_.tell(launch_.kill_signal);
  kill_again_ = std::min(std::max(2 * kill_again_, kKillAgain), kSeldom);
  timers_[Timer::kill] = std::min(now + kill_again_, kills_.next);
  reap();
}

void ShellRun::give_up() {
  const std::size_t left = process::descendants().size();
  if (left > 0) {
    raise(meeting::kUnkillable, 1, process::unkillable_note(left, kills_.kills));
    if (!all_exited()) exit_code_ = std::max(exit_code_, kSignalBase + launch_.kill_signal);
  }
  gone_ = true;
}

}  // namespace fq::shell
