#include "manager/session.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/attempt.h"
#include "base/error.h"
#include "base/fault_point.h"
#include "base/text.h"
#include "base/trash.h"
#include "exec/baseline.h"
#include "exec/interrupt.h"
#include "exec/leftovers.h"
#include "exec/liveness.h"
#include "exec/rlimits.h"
#include "exec/signal_block.h"
#include "exec/waker.h"
#include "manager/change.h"
#include "manager/damaged_store.h"
#include "manager/dependants.h"
#include "manager/effects.h"
#include "manager/inbox.h"
#include "manager/inventory.h"
#include "manager/lost_shells.h"
#include "manager/migrate.h"
#include "manager/post.h"
#include "manager/purge.h"
#include "manager/reserve.h"
#include "manager/schedule_pass.h"
#include "manager/start.h"
#include "manager/store_check.h"
#include "records/instance.h"
#include "records/keys.h"
#include "records/store_time.h"
#include "store/damage.h"
#include "store/database.h"
#include "store/salvage.h"
#include "store/snapshot.h"
#include "store/store_lock.h"

namespace fq::manager {

using store::Family;

namespace {

// A reader that lists running jobs probes no more of them than this.
constexpr std::size_t kMaxReaderProbes = 1024;
// So long a command that has killed what a dead shell left waits for its end in all, without the lock.
constexpr double kDeathPatience_s = 2;
constexpr double kShortestWait_s =
    0.1;  // as which one counts at least: what forks without end is left to others

// One tenure of the store lock.
class Tenure {
 public:
  Tenure(const Session& session, store::StoreLock lock)
      : session_(session),
        lock_(std::move(lock)),
        database_(store::Database::open(store::database_path(session.store), /*create=*/false)) {}

  /// Runs one step and commits it; with the last one, the scheduling pass. Returns what the step returned.
  bool run(const Steps& steps) {
    store::Transaction transaction = database_.begin();
    Change change(session_, transaction);
    bool more = false;
    try {
      if (first_) {
        require_own_store(session_.store, transaction);
        if (change.info().format < records::kFormatVersion) bring_forward(transaction);
        attempt([&] { database_.begin_journal(); });
        record_place(session_.store, transaction);
        came_between_ = records::pass_is_due(transaction);
        tell_left_over(change);
        repair_lost_shells(change);
        serve_announced_ends(change);
        fire_timers(change);
        first_ = false;
      }
      baseline_ = change.info().baseline;
      more = steps.step(change);
      if (change.take_release()) let_nodes_go(change);
      if (!more) schedule_pass(change);
      if (!more && change.any_ended()) purge_some(change);
      unfinished_ = unfinished_ || change.effects().unfinished();
      records::write_pass_due(transaction, more || unfinished_);
      fault_point("work-done");
      change.write_back();
      deadline_ = next_look(change, more);
      running_ = any_running(transaction);
      call_waker(change.effects());
      prepare_guests(change.effects());
      fault_point("guests-prepared");
      transaction.commit();
    } catch (...) {
      // What was not committed is not to be started: its signs of life go with it.
      for (const Effects::Start& start : change.effects().starts)
        exec::remove_alive(session_.files(), start.plan.id);
      throw;
    }
    fault_point("committed");
    steps.stored();
    stored_ = true;
    add_effects(effects_, std::move(change.effects()));
    if (more) database_.merge_level0_meanwhile();
    return more;
  }

  /// What follows the commit may fail or, when this process dies, never be: orders to shells, and the rest of
  /// work that is done in steps. So before it the waker is told when to look; where that cannot be, nothing
  /// is committed.
  void call_waker(const Effects& effects) {
    orders_ = orders_ || !effects.cancels.empty() || !effects.expirations.empty();
    if (orders_ || unfinished_) wake_at(session_.clock->boot_time() + kPatience_s);
    for (const Effects::Look& look : effects.looks) look_ = std::min(look_, look.boot_time);
    if (std::isfinite(look_)) wake_at(look_);
    if (!orders_ && !unfinished_ && effects.looks.empty()) return;
    exec::set_deadline(session_.store, deadline_, running_);
  }

  void wake_at(double boot_time) { deadline_ = std::min(deadline_.value_or(boot_time), boot_time); }

  void bring_forward(store::Transaction& transaction) {
    migrate(transaction, [&](std::uint64_t done, std::uint64_t total) {
      lock_.describe(fmt::format("{}, which brings the store to the present format: {} of {} jobs",
                                 session_.command, done, total));
      if (session_.notices.migrating) session_.notices.migrating(done, total);
    });
    lock_.describe(session_.command);
  }

  /// What the shells will read, before anybody can know of their start: an order that comes after the commit
  /// finds the guest directory as it will stay. On a full disk nothing is committed; after another failure no
  /// shell is started here.
  void prepare_guests(Effects& effects) {
    for (Effects::Start& start : effects.starts) {
      try {
        exec::prepare_guest(session_.files(), start.plan, start.plan.time);
        start.prepared = true;
      } catch (const Error& failure) {
        if (failure.kind() == Kind::no_space) throw;
      }
    }
  }

  /// What must be done before others get the lock; then closes the database.
  void close() {
    const exec::JobFiles files = session_.files();
    const std::set<JobId> later(effects_.ended_without_shell.begin(), effects_.ended_without_shell.end());
    for (const JobId id : effects_.ended) {
      attempt([&] {
        if (!later.contains(id)) files.remove_guest(id);
        exec::remove_alive(files, id);
        ::unlink(files.inbox(id).c_str());
      });
    }
    fault_point("guests-removed");
    attempt([&] {
      exec::set_deadline(session_.store, deadline_, running_);
      // Who watches signs of life is told of these by the deadline from now on.
      for (const Effects::Look& look : effects_.looks) exec::remove_alive(files, look.id);
    });
    fault_point("deadline-set");
    attempt([&] { plan_waker(); });
    attempt([&] { condition_.level0_files = database_.level0_files(); });
    condition_.written_bytes = database_.written_bytes();
    attempt([&] { condition_.flushed_bytes = database_.close(); });
    restore_reserve(session_.store);
    fault_point("store-closed");
  }

  /// Whether any step was committed.
  [[nodiscard]] bool stored() const { return stored_; }
  /// Whether somebody else had work left to do when this began.
  [[nodiscard]] bool came_between() const { return came_between_; }
  [[nodiscard]] Effects take_effects() { return std::move(effects_); }
  [[nodiscard]] const StoreCondition& condition() const { return condition_; }

 private:
  void plan_waker() {
    const exec::WakerNeed need = exec::waker_need(session_.store);
    if (need == exec::WakerNeed::none) return;
    effects_.clean_waker = exec::is_in_force(baseline_);
    effects_.start_waker = need == exec::WakerNeed::missing || effects_.clean_waker;
  }

  /// The boot time at which the waker has something to do, if nothing happens before; shells are looked at
  /// with the last step.
  static std::optional<double> next_look(Change& change, bool more) {
    std::optional<double> next;
    const auto first = change.transaction().scan_prefix(Family::index, records::key::kTimerPrefix);
    if (first->valid()) {
      const double time = static_cast<double>(records::key::indexed_time(first->key())) / 1e6;
      next = moment_of(change).boot_time_of(time);
    }
    const auto shells = more ? std::nullopt : next_look_at_shells(change);
    return shells ? std::min(*shells, next.value_or(*shells)) : next;
  }

  static bool any_running(const store::Reader& reader) {
    for (const job::State state : {job::State::run, job::State::cleanup}) {
      if (reader.scan_prefix(Family::index, records::key::state_prefix(state))->valid()) return true;
    }
    return false;
  }

  const Session& session_;
  store::StoreLock lock_;
  store::Database database_;
  Effects effects_;
  std::string baseline_;
  std::optional<double> deadline_;  ///< boot time
  double look_ = INFINITY;          ///< the first of those for what is left of jobs, boot time
  StoreCondition condition_;
  bool running_ = false;
  bool orders_ = false;
  bool unfinished_ = false;  ///< by any step so far
  bool came_between_ = false;
  bool first_ = true;
  bool stored_ = false;
};

// One writer's request, from the wait for the lock to its effects.
class Writer {
 public:
  /// `session` and `steps` outlive the writer; `settled` may be empty.
  Writer(const Session& session, const Steps& steps, FullDisk full, std::function<bool()> settled = {})
      : session_(session), steps_(steps), full_(full), settled_(std::move(settled)) {}

  StoreCondition run() {
    try {
      // Jobs that can start are started in portions, so that others get the lock in between.
      bool unfinished = tenure_with_room(steps_);
      if (leaves_it_to_others_) return condition_;
      while (await_killed() || unfinished) unfinished = tenure_with_room(kPassOnly);
    } catch (...) {
      if (stored_) schedule_what_is_stored();
      throw;
    }
    return condition_;
  }

 private:
  // The same; on a full disk it is tried again without what is in the trash, and, for work that may, without
  // the reserve.
  bool tenure_with_room(const Steps& steps) {
    for (;;) {
      try {
        return tenure(steps);
      } catch (const Error& failure) {
        if (failure.kind() != Kind::no_space) throw;
        if (!make_room()) {
          throw error(Kind::no_space, "the disk of the store {} is full{}", quote(session_.store),
                      stored_ ? "" : ": nothing was changed");
        }
      }
    }
  }

  // False when there is nothing more to free. The trash counts once: what failed may itself fill it.
  bool make_room() {
    bool freed = false;
    if (!std::exchange(emptied_trash_, true)) {
      attempt([&] { freed = empty_trash(session_.files().trash_dir()); });
    }
    return freed || (full_ == FullDisk::use_reserve && give_up_reserve(session_.store));
  }

  // Returns whether another pass is due.
  bool tenure(const Steps& steps) {
    // Who waits for the lock may be ended, but not stopped: it would have the lock, stopped, when its turn
    // comes.
    const exec::SignalBlock waiting(exec::UserSignals::that_stop);
    std::optional<exec::UncountedInterrupts> nothing_done;
    if (!stored_) nothing_done.emplace();
    auto lock = store::StoreLock::acquire(session_.store, session_.lock_timeout_s, session_.command,
                                          session_.notices.waiting);
    nothing_done.reset();
    const exec::SignalBlock holding(exec::UserSignals::all);
    const exec::AllDescriptors all;
    if (!stored_ && settled_ && settled_()) return false;
    Effects effects;
    std::exception_ptr failure;
    bool came_between = false;
    {
      Tenure tenure(session_, std::move(lock));
      try {
        while (tenure.run(steps)) {
        }
      } catch (...) {
        if (!tenure.stored()) throw;
        failure = std::current_exception();
      }
      stored_ = true;
      tenure.close();
      effects = tenure.take_effects();
      condition_ = tenure.condition();
      came_between = tenure.came_between();
    }
    killed_ = std::move(effects.killed);
    const bool unfinished = perform_effects(session_, std::move(effects), condition_);
    // Whoever is at it goes on, or the waker does, which was told: nobody else needs to stay.
    leaves_it_to_others_ = unfinished && came_between && !session_.starts_whatever_it_inherits &&
                           exec::waker_alive(session_.store);
    if (failure) std::rethrow_exception(failure);
    return unfinished;
  }

  // Waits for the end of what was killed; true when it has come: then jobs can end.
  bool await_killed() {
    const std::vector<exec::ProcessKey> killed = std::exchange(killed_, {});
    if (killed.empty() || death_patience_s_ <= 0) return false;
    const double began = session_.clock->boot_time();
    const bool ended = exec::await_end(killed, death_patience_s_);
    death_patience_s_ -= std::max(session_.clock->boot_time() - began, kShortestWait_s);
    return ended;
  }

  // After a failure between two steps: the pass comes with the last one.
  void schedule_what_is_stored() {
    try {
      while (tenure(kPassOnly)) {
      }
    } catch (const Error&) {
      // The next writer runs it.
    }
  }

  static inline const Steps kPassOnly{[](Change&) { return false; }};

  const Session& session_;
  const Steps& steps_;
  FullDisk full_;
  std::function<bool()> settled_;
  bool stored_ = false;
  bool leaves_it_to_others_ = false;
  bool emptied_trash_ = false;
  std::vector<exec::ProcessKey> killed_;  ///< in the last tenure
  double death_patience_s_ = kDeathPatience_s;
  StoreCondition condition_;
};

Steps single(const Work& work) {
  return {[&work](Change& change) {
    work(change);
    return false;
  }};
}

}  // namespace

Credential Credential::of_process() {
  return {::getuid(), ::getgid()};
}

StoreCondition transact_steps(const Session& session, const Steps& steps, FullDisk full) {
  return Writer(session, steps, full).run();
}

StoreCondition transact(const Session& session, const Work& work, FullDisk full) {
  return transact_steps(session, single(work), full);
}

StoreCondition transact_unless(const Session& session, const std::function<bool()>& settled, const Work& work,
                               FullDisk full) {
  const Steps steps = single(work);
  return Writer(session, steps, full, settled).run();
}

namespace {

// Of a store that is damaged; none: it is refused.
std::function<void(const std::string&)>& damage_notice() {
  static std::function<void(const std::string&)> notice;
  return notice;
}

void read_store(const Session& session, const std::function<void(const store::Reader&)>& read) {
  try {
    static_cast<void>(store::read_snapshot(session.store, session.lock_timeout_s, read));
  } catch (const store::DamageError& damage) {
    if (!damage_notice()) throw;
    static_cast<void>(store::read_damaged(session.store, read));
    std::exchange(damage_notice(), [](const std::string&) {})(damage.what());
  }
}

}  // namespace

void accept_damage(std::function<void(const std::string&)> notice) {
  damage_notice() = std::move(notice);
}

void query(const Session& session, const std::function<void(const store::Reader&)>& read) {
  const exec::AllDescriptors all;
  const auto ask = [&] {
    bool older = false;
    read_store(session, [&](const store::Reader& reader) {
      require_own_store(session.store, reader);
      older = records::read_store_info(reader).format < records::kFormatVersion;
      if (!older) read(reader);
    });
    return !older;
  };
  if (ask()) return;
  transact(session, [](Change&) {});  // which migrates it
  static_cast<void>(ask());
}

void query_repaired(const Session& session, const std::function<void(const store::Reader&)>& read) {
  bool undone = false;
  if (damage_notice()) return query(session, read);
  query(session, [&](const store::Reader& reader) {
    undone = has_lost_shell(reader, session.files(), *session.clock, kMaxReaderProbes) ||
             timer_is_due(reader, records::store_time(reader, *session.clock).now);
    if (!undone) read(reader);
  });
  if (!undone) return;
  transact(session, [](Change&) {});
  query(session, read);
}

}  // namespace fq::manager
