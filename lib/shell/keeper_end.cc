// The end of a job in a shared store: its time limit, the grace of its tasks, and that nothing of it is left.
// See keeper_run.h.

#include <algorithm>

#include <sys/wait.h>

#include "base/error.h"
#include "meeting/imp_kill.h"
#include "shell/keeper_run.h"

namespace fq::shell {
namespace {

constexpr double kKillAgain = 0.5;  // seconds between asking whether something is left

}  // namespace

void Keeper::set_expiration(double time) {
  timers_.set_expiration(time, options_.signal ? std::optional{options_.signal->timeleft} : std::nullopt,
                         clock_);
}

void Keeper::on_time() {
  for (const Timer timer : timers_.take_due(clock_)) {
    if (timer == Timer::expiration && !ending_) {
      raise(meeting::kTimeLimit, 0, "resource allocation expired");
      end_tasks();
    } else if (timer == Timer::warning) {
      order(meeting::ControlSignal{options_.signal->signum});
    } else if (timer == Timer::kill) {
      kill();
    } else if (timer == Timer::room && keeping_.output()->blocked()) {
      // The loop has tried, and sets it anew only where it is not set.
      timers_[Timer::room] = clock_.boot_time() + kRetryRoom;
    }
  }
}

void Keeper::end_tasks() {
  if (std::exchange(ending_, true)) return;
  order(meeting::ControlCancel{});
  timers_[Timer::kill] = clock_.boot_time() + std::max(launch_.kill_grace_s, 0.0);
}

void Keeper::kill() {
  const double now = clock_.boot_time();
  const process::KillRules rules{launch_.kill_grace_s, launch_.max_kill_count};
  if (kills_.is_due(now)) {
    if (kills_.are_over(rules)) {
      raise(meeting::kUnkillable, 1, process::unkillable_note(1, kills_.kills));
      gone_ = true;
      return;
    }
    kills_.begin(rules, now);
    if (is_empty(SIGKILL)) return;  // fq-imp ends by itself
  }
  timers_[Timer::kill] = std::max(now + kKillAgain, kills_.next);
}

bool Keeper::is_empty(int signal) {
  try {
    return !meeting::kill_by_imp(imp_, *launch_.signed_start, launch_.id, launch_.attempt, signal);
  } catch (const Error&) {
    // It cannot say. Where it ended by itself before it began the job, there was nothing to be left.
    return imp_pid_ < 0 && WIFEXITED(imp_status_) && !imp_said_.starts_with("started\n");
  }
}

void Keeper::confirm_empty() {
  // fq-imp ends when nothing is left; but it may have been killed.
  const process::KillRules rules{launch_.kill_grace_s, launch_.max_kill_count};
  while (!gone_ && !is_empty(SIGKILL)) {
    const double now = clock_.boot_time();
    if (kills_.is_due(now)) {
      if (kills_.are_over(rules)) {
        raise(meeting::kUnkillable, 1, process::unkillable_note(1, kills_.kills));
        return;
      }
      kills_.begin(rules, now);
    }
    pause_for(kKillAgain);
  }
}

}  // namespace fq::shell
