#include "manager/engine/tenure.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fault_point.h"
#include "base/file_lock.h"
#include "base/try_to.h"
#include "manager/core/dependants.h"
#include "manager/core/post.h"
#include "manager/core/settle.h"
#include "manager/core/shares.h"
#include "manager/engine/inbox.h"
#include "manager/engine/lost_shells.h"
#include "manager/engine/migrate.h"
#include "manager/engine/store_check.h"
#include "manager/pass/consultation_due.h"
#include "manager/run/housekeeping.h"
#include "manager/run/start.h"
#include "meeting/leftovers.h"
#include "meeting/liveness.h"
#include "meeting/waker.h"
#include "process/machine/baseline.h"
#include "records/housekeeping.h"
#include "records/instance.h"
#include "records/keys.h"

namespace fq::manager {

using store::Family;

namespace {

// The boot time at which the waker has something to do, if nothing happens before; shells are looked at
// with the last step.
std::optional<double> next_look(Change& change, bool more) {
  std::optional<double> next;
  const auto first = change.transaction().scan_prefix(Family::index, records::key::kTimerPrefix);
  if (first->valid()) {
    const double time = static_cast<double>(records::key::indexed_time(first->key())) / 1e6;
    next = change.moment().boot_time_of(time);
  }
  const auto shells = more ? std::nullopt : next_look_at_shells(change);
  return shells ? std::min(*shells, next.value_or(*shells)) : next;
}

bool any_running(const store::Reader& reader) {
  for (const job::State state : {job::State::run, job::State::cleanup}) {
    if (reader.scan_prefix(Family::index, records::key::state_prefix(state))->valid()) return true;
  }
  return records::any_housekeeping(reader);
}

}  // namespace

bool Tenure::run(const Steps& steps) {
  store::rocks::Transaction transaction = held_.database.begin();
  Change change(session_, transaction);
  bool more = false;
  try {
    if (first_) {
      (session_.adopts ? require_own_machine : require_own_store)(session_.store, transaction);
      if (change.info().format < records::kFormatVersion) bring_forward(transaction);
      try_to([&] { held_.database.begin_journal(); });
      if (session_.adopts) session_.adopts(change);
      record_place(session_.store, transaction);
      found_pass_due_ = records::pass_is_due(transaction);
      notify_left_over(change);
      repair_lost_shells(change);
      serve_announced_ends(change);
      fire_timers(change);
      first_ = false;
    }
    const ProcessorTime limited(session_, transaction);
    baseline_ = change.info().baseline;
    more = steps.step(change);
    settle(change, /*last=*/!more);
    unfinished_ = unfinished_ || change.effects().unfinished();
    records::write_pass_due(transaction, more || unfinished_);
    fault_point("work-done");
    change.write_back();
    plan_starts(change);
    deadline_ = next_look(change, more);
    running_ = any_running(transaction);
    consultation_due_ = consultation_due(transaction).has_value();
    call_waker(change.effects());
    prepare_guests(change.effects());
    fault_point("guests-prepared");
    committing_ = true;
    transaction.commit();
    committing_ = false;
  } catch (...) {
    // What was not committed is not to be started: its signs of life go with it.
    for (const Effects::Start& start : change.effects().planned)
      meeting::remove_alive(session_.files(), start.plan.id);
    throw;
  }
  fault_point("committed");
  steps.stored();
  stored_ = true;
  add_effects(effects_, std::move(change.effects()));
  if (more) held_.database.merge_level0_meanwhile();
  return more;
}

void Tenure::call_waker(const Effects& effects) {
  orders_ = orders_ || !effects.cancels.empty() || !effects.preempts.empty() || !effects.expirations.empty();
  if (orders_ || unfinished_ || consultation_due_) wake_at(session_.clock->boot_time() + kPatience_s);
  for (const Effects::Look& look : effects.looks) look_ = std::min(look_, look.boot_time);
  if (std::isfinite(look_)) wake_at(look_);
  if (!orders_ && !unfinished_ && !consultation_due_ && effects.looks.empty()) return;
  meeting::set_deadline(session_.store, deadline_, running_);
}

void Tenure::wake_at(double boot_time) {
  deadline_ = std::min(deadline_.value_or(boot_time), boot_time);
}

void Tenure::bring_forward(store::Transaction& transaction) {
  migrate(transaction, [&](std::uint64_t done, std::uint64_t total) {
    held_.lock.describe(fmt::format("{}, which brings the store to the present format: {} of {} jobs",
                                    session_.command, done, total));
    if (session_.notices.migrating) session_.notices.migrating(done, total);
  });
  held_.lock.describe(session_.command);
}

// The signs of life are taken before anybody can know of the jobs' start.
void Tenure::plan_starts(Change& change) {
  for (const JobId id : change.effects().starts)
    change.effects().planned.push_back({launch_plan(change, id), meeting::take_alive(session_.files(), id)});
  for (const JobId id : change.effects().housekeepings) {
    const auto housekeeping = records::find_housekeeping(change.transaction(), id);
    change.effects().planned.push_back(
        {housekeeping_plan(change, *housekeeping), meeting::take_alive(session_.files(), id)});
  }
}

void Tenure::prepare_guests(Effects& effects) {
  for (Effects::Start& start : effects.planned) {
    try {
      meeting::prepare_guest(session_.files(), start.plan, start.plan.time);
      start.prepared = true;
    } catch (const Error& failure) {
      if (failure.kind() == Kind::no_space) throw;
    }
  }
}

// What is left of the last run of jobs that are pending again: before anybody can start them.
void Tenure::remove_last_runs() {
  const meeting::JobFiles files = session_.files();
  std::vector<JobId>& dead = effects_.ended_without_shell;
  for (const JobId id : effects_.requeued) {
    const auto lost = std::find(dead.begin(), dead.end(), id);
    try_to([&] {
      if (lost != dead.end()) meeting::remove_places(files, id);
      files.remove_data(id);
      files.remove_guest(id);
      ::unlink(files.inbox(id).c_str());
    });
    if (lost != dead.end()) dead.erase(lost);
    // An order would be for the next run.
    for (std::vector<JobId>* orders : {&effects_.cancels, &effects_.preempts}) std::erase(*orders, id);
  }
}

void Tenure::close() {
  prepare_for_others();
  condition_ = close_database(held_.database, session_.store);
}

KeptStore::Held Tenure::keep() {
  prepare_for_others();
  return std::move(held_);
}

void Tenure::prepare_for_others() {
  const meeting::JobFiles files = session_.files();
  remove_last_runs();
  const std::set<JobId> later(effects_.ended_without_shell.begin(), effects_.ended_without_shell.end());
  for (const JobId id : effects_.ended) {
    try_to([&] {
      if (!later.contains(id)) files.remove_guest(id);
      meeting::remove_alive(files, id);
      ::unlink(files.inbox(id).c_str());
    });
  }
  fault_point("guests-removed");
  try_to([&] {
    meeting::set_deadline(session_.store, deadline_, running_);
    // Who watches signs of life is told of these by the deadline from now on.
    for (const Effects::Look& look : effects_.looks) meeting::remove_alive(files, look.id);
  });
  fault_point("deadline-set");
  try_to([&] { plan_waker(); });
  try_to([&] { plan_consultation(); });
}

void Tenure::plan_waker() {
  const meeting::WakerNeed need = meeting::waker_need(session_.store);
  if (need == meeting::WakerNeed::none) return;
  effects_.clean_waker = process::is_in_force(baseline_);
  effects_.start_waker = need == meeting::WakerNeed::missing || effects_.clean_waker;
}

// It inherits this process's limits, as shells do: who has other ones than the store leaves it to the waker.
void Tenure::plan_consultation() {
  if (!consultation_due_ || is_locked(consultation_lock(session_.store))) return;
  effects_.consult = session_.starts_whatever_it_inherits || !meeting::waker_alive(session_.store) ||
                     process::is_in_force(baseline_);
}

}  // namespace fq::manager
