#include "manager/engine/lost_shells.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <functional>
#include <iterator>
#include <set>
#include <vector>

#include <fmt/core.h>

#include "base/error.h"
#include "base/text.h"
#include "base/try_to.h"
#include "document/event/eventlog.h"
#include "job/actions.h"
#include "job/events.h"
#include "manager/core/post.h"
#include "manager/jobs/finish.h"
#include "manager/jobs/housekeeping.h"
#include "manager/jobs/perilog.h"
#include "manager/pass/preemption.h"
#include "manager/run/housekeeping.h"
#include "manager/run/start.h"
#include "manager/site/drain.h"
#include "meeting/control.h"
#include "meeting/leftovers.h"
#include "meeting/liveness.h"
#include "meeting/outcome.h"
#include "meeting/waker.h"
#include "records/housekeeping.h"
#include "records/keys.h"

namespace fq::manager {

using records::Leftovers;
using store::Family;
namespace events = job::events;

namespace {

constexpr std::string_view kLost = "exec";  // type of the exception
constexpr std::string_view kKilled = "the job shell was killed";
constexpr std::string_view kRestarted = "the machine was restarted";
// Between looks for what does not end.
constexpr double kFirstLook_s = 1, kLastLook_s = 60;
// So many are remembered by pid; while one of them lives the others need not be looked for.
constexpr std::size_t kMostRemembered = 64;

// The store's time at which the shell of a running job will have begun to end its tasks; infinity for none.
double moves_at(const job::Job& job) {
  if (job::wants_kill(job)) return 0;
  return job.state == job::State::run && job.expiration > 0 ? job.expiration + kPatience_s : INFINITY;
}

process::ProcessKey process_of(const Leftovers& leftovers, std::size_t i) {
  return {leftovers.processes[i].first, leftovers.processes[i].second};
}

// Says once that the shell is lost, though it may be looked at often. One that was preempted to be requeued
// is that, whoever ended it.
void tell_lost(Change& change, JobId id, std::string_view note) {
  const job::Job& job = change.job(id);
  if (job.state == job::State::run && job.preemption == job::Preemption::requeue) end_grace(change, id);
  if (job.requeues) return;
  for (const document::Event& event : document::decode_eventlog(full_eventlog(change, id))) {
    if (event.name == events::kException && event.context.value("type", "") == kLost &&
        event.context.value("note", "") == note) {
      return;
    }
  }
  post(change, id, events::exception(change.now(), kLost, 0, note));
}

// What `collect` returns. Where the job's files cannot be moved it stays as it is, nothing of it being lost,
// and is looked at again: others' commands do not fail for it.
template <typename Collect>
auto collected(Change& change, JobId id, Collect collect) -> std::optional<decltype(collect())> {
  try {
    return collect();
  } catch (const Error&) {
    change.effects().looks.push_back({id, change.session().clock->boot_time() + kLastLook_s});
    return std::nullopt;
  }
}

// Starts the shell that does what is left to do. Its files need not be collected before.
void start_again(Change& change, JobId id) {
  const bool begun = !meeting::has_not_begun(change.files(), id);
  if (!restart_job(change, id, begun)) change.effects().pass_unfinished = true;
}

// The tasks of a job without a shell are over: an epilog needs another shell.
void end_without_shell(Change& change, JobId id) {
  if (change.job(id).epilogs > 0) return start_again(change, id);
  change.effects().ended_without_shell.push_back(id);
}

// Nothing lives of the job that is waited for.
void end(Change& change, JobId id, bool had_leftovers) {
  const auto guest = collected(change, id, [&] { return collect_guest(change.files(), id); });
  if (!guest) return;
  if (had_leftovers) records::erase_leftovers(change.transaction(), id);
  if (change.job(id).requeues) {
    import_perilog_output(change, *guest, id, document::PerilogKind::prolog);
  } else {
    import_guest(change, *guest, id, change.now());
  }
  post(change, id, events::finish(change.now(), kKilledStatus));
  end_without_shell(change, id);
}

// What is looked for: of a job, or of housekeeping.
struct Lost {
  JobId id;
  std::uint32_t attempt = 0;
  std::function<void(const Leftovers&)> give_up;  ///< what it means that it cannot be killed
};

Lost lost_job(Change& change, const job::Job& job) {
  return {job.id, job.attempt, [&change, id = job.id](const Leftovers& left) {
            drain_unkillable(change, id);
            post(change, id,
                 events::exception(change.now(), meeting::kUnkillable, 1,
                                   process::unkillable_note(left.processes.size(), left.kills)));
          }};
}

// Kills what is left of it. Whether it is over: nothing is left, or it is given up.
bool kill_what_is_left(Change& change, const Lost& job, const std::optional<Leftovers>& known,
                       meeting::ProcessLooks& looks) {
  const double now = change.session().clock->boot_time();
  const auto look_again_at = [&](double boot_time) { change.effects().looks.push_back({job.id, boot_time}); };
  if (known && !look_is_due(*known, now)) {
    look_again_at(next_look(*known, now));
    return false;
  }
  const std::vector<process::ProcessKey> lives =
      meeting::kill_leftovers(change.files(), job.id, job.attempt, looks);
  if (lives.empty()) return true;

  Leftovers left = known.value_or(Leftovers{boot_id(), now, 0, 0, 0, {}});
  left.processes.clear();
  for (const process::ProcessKey& process : lives)
    left.processes.emplace_back(process.pid, process.start_time);
  const document::ExecConfig& config = change.exec_config();
  const process::KillRules rules{config.kill_timeout_s.value_or(process::KillRules{}.grace_s),
                                 config.max_kill_count.value_or(0)};
  process::KillRounds rounds{left.kills, left.pause_s, left.next};
  if (rounds.is_due(now)) {
    if (rounds.are_over(rules)) {
      job.give_up(left);
      return true;
    }
    rounds.begin(rules, now);
  }
  left.kills = rounds.kills;
  left.pause_s = rounds.pause_s;
  left.next = rounds.next;
  left.processes.resize(std::min(left.processes.size(), kMostRemembered));
  records::write_leftovers(change.transaction(), job.id, left);
  change.effects().killed.insert(change.effects().killed.end(), lives.begin(), lives.end());
  look_again_at(next_look(left, now));
  return false;
}

// A prolog or epilog of which nothing is known but that it was begun is begun anew, when nothing is left of
// it.
void repair_perilog(Change& change, const job::Job& job, meeting::ProcessLooks& looks) {
  const JobId id = job.id;
  const auto known = records::find_leftovers(change.transaction(), id);
  const bool same_boot = job.boot_id == boot_id();
  if (same_boot && !kill_what_is_left(change, lost_job(change, job), known, looks)) return;
  if (known) records::erase_leftovers(change.transaction(), id);
  const bool of_prolog = job.prologs > 0;
  if (of_prolog ? job.state == job::State::run && job.attempt < kMaxAttempts
                : job.attempt < kMaxAttemptsWithEpilog)
    return start_again(change, id);
  const auto guest = collected(change, id, [&] { return collect_guest(change.files(), id); });
  if (!guest) return;
  if (of_prolog) {
    const auto failure = meeting::start_failure(change.files(), id);
    tell_lost(change, id, failure ? *failure : std::string{same_boot ? kKilled : kRestarted});
  }
  finish_perilog(change,
                 {id,
                  job.attempt,
                  of_prolog ? document::PerilogKind::prolog : document::PerilogKind::epilog,
                  {SIGKILL, "was killed with the job shell, each time", false, of_prolog, change.now()},
                  *guest});
  end_without_shell(change, id);
}

// The same of housekeeping.
void repair_housekeeping(Change& change, records::Housekeeping housekeeping, meeting::ProcessLooks& looks) {
  const JobId id = housekeeping.id;
  if (meeting::has_not_begun(change.files(), id)) return start_housekeeping(change, id);
  const auto known = records::find_leftovers(change.transaction(), id);
  const Lost lost{id, housekeeping.attempt, [&](const Leftovers& left) {
                    drain(change, document::ResourceSet::parse(housekeeping.R).ranks(),
                          fmt::format("housekeeping after job {}: {}", housekeeping.job,
                                      process::unkillable_note(left.processes.size(), left.kills)));
                  }};
  if (housekeeping.boot_id == boot_id() && !kill_what_is_left(change, lost, known, looks)) return;
  if (known) records::erase_leftovers(change.transaction(), id);
  if (housekeeping.attempt < kMaxAttempts) {
    if (change.room_to_start() > 0) {
      ++housekeeping.attempt;
      housekeeping.boot_id = change.boot();
      records::write_housekeeping(change.transaction(), housekeeping);
    }
    return start_housekeeping(change, id);
  }
  const meeting::PerilogOutcome outcome{SIGKILL, "was killed with its shell, each time", false, false,
                                        change.now()};
  finish_housekeeping(change, collect_housekeeping(change.files(), id, housekeeping.attempt, outcome));
  change.effects().ended_without_shell.push_back(id);
}

void repair(Change& change, const job::Job& job, meeting::ProcessLooks& looks) {
  if (job.prologs > 0 || job.epilogs > 0) return repair_perilog(change, job, looks);
  const meeting::JobFiles files = change.files();
  const JobId id = job.id;
  const bool same_boot = job.boot_id == boot_id();
  if (const auto outcome = meeting::recorded_outcome(files, id, job.attempt)) {
    const auto request =
        collected(change, id, [&] { return collect_finish(files, id, job.attempt, *outcome); });
    if (!request) return;
    finish_job(change, *request);
    return end_without_shell(change, id);
  }
  if (job.state == job::State::run && same_boot && !meeting::any_task_started(files, id, job.attempt)) {
    const bool begun = !meeting::has_not_begun(files, id);
    if (!begun || job.attempt < kMaxAttempts) {
      if (!restart_job(change, id, begun)) change.effects().pass_unfinished = true;
      return;
    }
  }
  std::optional<Leftovers> known;
  if (job.state == job::State::cleanup) known = records::find_leftovers(change.transaction(), id);
  const bool had_leftovers = known.has_value();
  if (!same_boot) {
    tell_lost(change, id, had_leftovers ? kKilled : kRestarted);
    return end(change, id, had_leftovers);
  }
  if (!had_leftovers) tell_lost(change, id, meeting::start_failure(files, id).value_or(std::string{kKilled}));
  if (kill_what_is_left(change, lost_job(change, job), known, looks)) end(change, id, had_leftovers);
}

}  // namespace

std::vector<JobId> running_jobs(const store::Reader& reader) {
  std::vector<JobId> ids;
  for (const job::State state : {job::State::run, job::State::cleanup}) {
    for (const auto at = reader.scan_prefix(Family::index, records::key::state_prefix(state)); at->valid();
         at->next()) {
      ids.push_back(records::key::indexed_job(at->key()));
    }
  }
  return ids;
}

bool look_is_due(const Leftovers& leftovers, double boot_time) {
  if (boot_time >= leftovers.next) return true;
  for (std::size_t i = 0; i < leftovers.processes.size(); ++i) {
    if (process::lives(process_of(leftovers, i))) return false;
  }
  return true;
}

double next_look(const Leftovers& leftovers, double boot_time) {
  const double pause = std::clamp((boot_time - leftovers.since) / 4, kFirstLook_s, kLastLook_s);
  return std::min(leftovers.next, boot_time + pause);
}

void repair_lost_shells(Change& change) {
  const meeting::JobFiles files = change.files();
  const std::vector<JobId> running = running_jobs(change.transaction());
  std::vector<JobId> lost;
  for (const JobId id : running) {
    const job::Job& job = change.job(id);
    if (!job::wants_shell(job)) continue;
    if (!meeting::shell_alive(files, id)) {
      lost.push_back(id);
    } else if (job::wants_kill(job) && !meeting::cancel_ordered(files, id)) {
      change.effects().cancels.push_back(id);
    } else if (job.state == job::State::run && job.preemption != job::Preemption::none &&
               !meeting::preempt_ordered(files, id)) {
      change.effects().preempts.push_back(id);
    } else if (job.expiration_moved && !meeting::expiration_ordered(files, id, job.expiration)) {
      change.effects().expirations.push_back({id, job.expiration});
    } else if (moves_at(job) <= change.now()) {
      meeting::continue_shell(files, id);
    }
  }
  // Only now: processes are looked at once for all of them, when none has a shell any more.
  meeting::ProcessLooks looks;
  const std::vector<records::Housekeeping> housekeepings = records::read_housekeepings(change.transaction());
  std::vector<records::Housekeeping> lost_housekeepings;
  std::ranges::copy_if(
      housekeepings, std::back_inserter(lost_housekeepings),
      [&](const records::Housekeeping& each) { return !meeting::shell_alive(files, each.id); });
  for (const JobId id : lost) repair(change, change.job(id), looks);
  for (records::Housekeeping& each : lost_housekeepings) repair_housekeeping(change, std::move(each), looks);
  // Signs of life of jobs that were never committed as running: who was to start them died before.
  std::set<JobId> expected(running.begin(), running.end());
  for (const records::Housekeeping& each : housekeepings) expected.insert(each.id);
  for (const JobId id : files.alive_ids()) {
    if (expected.contains(id) || meeting::shell_alive(files, id)) continue;
    try_to([&] { meeting::remove_alive(files, id); });
  }
  // Guest directories that the end of their job did not come to remove, and those of jobs that were to start.
  for (const JobId id : files.guest_ids()) {
    if (expected.contains(id) || meeting::shell_alive(files, id)) continue;
    const job::Job* job = change.find_job(id);
    if (job == nullptr || job->state == job::State::inactive) {
      change.effects().ended_without_shell.push_back(id);
    } else {
      try_to([&] {
        meeting::remove_places(files, id);
        files.remove_guest(id);
      });
    }
  }
}

std::optional<double> next_look_at_shells(Change& change) {
  double next = INFINITY;
  for (const JobId id : running_jobs(change.transaction())) {
    const job::Job& job = change.job(id);
    if (!job::wants_shell(job)) continue;
    // What is left of those whose shell is gone is looked at by times of its own.
    if ((job.state == job::State::cleanup || job.prologs > 0) &&
        records::find_leftovers(change.transaction(), id))
      continue;
    next = std::min(next, moves_at(job));
  }
  if (std::isinf(next)) return std::nullopt;
  if (next > change.now()) return change.moment().boot_time_of(next);
  constexpr double kAgain_s = 60;
  return (std::floor(change.session().clock->boot_time() / kAgain_s) + 1) * kAgain_s;
}

bool has_lost_shell(const store::Reader& reader, const meeting::JobFiles& files, const Clock& clock,
                    std::size_t limit) {
  std::vector<JobId> ids = running_jobs(reader);
  for (const records::Housekeeping& each : records::read_housekeepings(reader)) ids.push_back(each.id);
  ids.resize(std::min(ids.size(), limit));
  return std::any_of(ids.begin(), ids.end(), [&](JobId id) {
    if (meeting::shell_alive(files, id)) return false;
    if (meeting::has_not_begun(files, id)) return !meeting::waker_alive(files.store());
    const auto leftovers = records::find_leftovers(reader, id);
    return !leftovers || look_is_due(*leftovers, clock.boot_time()) || leftovers->boot_id != boot_id();
  });
}

std::optional<std::string> leftovers_text(const store::Reader& reader, JobId id) {
  const auto left = records::find_leftovers(reader, id);
  if (!left) return std::nullopt;
  const std::size_t count = left->processes.size();
  return fmt::format("{}{} left after {}", count < kMostRemembered ? "" : "at least ",
                     count == 1 ? "1 process is" : fmt::format("{} processes are", count),
                     counted(left->kills, "kill attempt"));
}

}  // namespace fq::manager
