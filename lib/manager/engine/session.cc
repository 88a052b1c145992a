#include "manager/engine/session.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "base/trash.h"
#include "base/try_to.h"
#include "manager/core/change.h"
#include "manager/core/dependants.h"
#include "manager/core/post.h"
#include "manager/core/shares.h"
#include "manager/engine/damaged_store.h"
#include "manager/engine/effects.h"
#include "manager/engine/kept_store.h"
#include "manager/engine/lost_shells.h"
#include "manager/engine/reserve.h"
#include "manager/engine/store_check.h"
#include "manager/engine/tenure.h"
#include "manager/jobs/purge.h"
#include "manager/pass/schedule_pass.h"
#include "meeting/leftovers.h"
#include "meeting/liveness.h"
#include "meeting/waker.h"
#include "process/signals/interrupt.h"
#include "process/signals/signal_block.h"
#include "process/start/rlimits.h"
#include "records/instance.h"
#include "records/store_time.h"
#include "store/bounded_reader.h"
#include "store/rocks/damage.h"
#include "store/rocks/snapshot.h"
#include "store/store_lock.h"
#include "store/transaction.h"

namespace fq::manager {

namespace {

// A reader that lists running jobs probes no more of them than this.
constexpr std::size_t kMaxReaderProbes = 1024;
// So long a command that has killed what a dead shell left waits for its end in all, without the lock.
constexpr double kDeathPatience_s = 2;
constexpr double kShortestWait_s =
    0.1;  // as which one counts at least: what forks without end is left to others

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
      try_to([&] { freed = empty_trash(session_.files().trash_dir()); });
    }
    return freed || (full_ == FullDisk::use_reserve && give_up_reserve(session_.store));
  }

  // Returns whether another pass is due.
  bool tenure(const Steps& steps) {
    // Who waits for the lock may be ended, but not stopped: it would have the lock, stopped, when its turn
    // comes.
    const process::SignalBlock waiting(process::UserSignals::that_stop);
    std::optional<process::UncountedInterrupts> nothing_done;
    if (!stored_) nothing_done.emplace();
    auto held = session_.kept != nullptr ? session_.kept->take(session_.store) : std::nullopt;
    std::optional<store::StoreLock> lock;
    if (!held) {
      auto turn = await_turn(session_);
      lock = store::StoreLock::acquire(session_.store, session_.lock_timeout_s, session_.command,
                                       session_.notices.waiting);
    }
    nothing_done.reset();
    const process::SignalBlock holding(process::UserSignals::all);
    if (session_.notices.begins) session_.notices.begins();
    const process::AllDescriptors all;
    if (!stored_ && settled_ && settled_()) return false;
    Effects effects;
    std::exception_ptr failure;
    bool found_pass_due = false;
    {
      if (!held) {
        held.emplace(KeptStore::Held{
            *std::move(lock),
            store::rocks::Database::open(store::database_path(session_.store), /*create=*/false),
            session_.clock->boot_time()});
      }
      Tenure tenure(session_, *std::move(held));
      try {
        while (tenure.run(steps)) {
        }
      } catch (...) {
        if (session_.kept != nullptr && tenure.is_unchanged()) session_.kept->keep(tenure.keep_unchanged());
        if (!tenure.stored()) throw;
        failure = std::current_exception();
      }
      stored_ = true;
      found_pass_due = tenure.found_pass_due();
      // What is to be gone on with lets others have the lock in between.
      const bool keeps = session_.kept != nullptr && !failure && tenure.is_all_done();
      if (keeps) {
        auto kept = tenure.keep();
        effects = tenure.take_effects();
        session_.kept->keep(std::move(kept));
      } else {
        tenure.close();
        effects = tenure.take_effects();
        condition_ = tenure.condition();
      }
    }
    killed_ = std::move(effects.killed);
    const bool unfinished = perform_effects(session_, std::move(effects), condition_);
    // Whoever is at it goes on, or the waker does, which was told: nobody else needs to stay.
    leaves_it_to_others_ = unfinished && found_pass_due && !session_.starts_whatever_it_inherits &&
                           meeting::waker_alive(session_.store);
    if (failure) std::rethrow_exception(failure);
    return unfinished;
  }

  // Waits for the end of what was killed; true when it has come: then jobs can end.
  bool await_killed() {
    const std::vector<process::ProcessKey> killed = std::exchange(killed_, {});
    if (killed.empty() || death_patience_s_ <= 0) return false;
    const double began = session_.clock->boot_time();
    const bool ended = meeting::await_end(killed, death_patience_s_);
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
  std::vector<process::ProcessKey> killed_;  ///< in the last tenure
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

void query(const Session& session, const std::function<void(const store::Reader&)>& read) {
  const process::AllDescriptors all;
  const auto ask = [&] {
    bool older = false;
    const auto look = [&](const store::Reader& reader) {
      require_own_store(session.store, reader);
      older = records::read_store_info(reader).format < records::kFormatVersion;
      const ProcessorTime limited(session, reader);
      if (older) return;
      if (session.kept == nullptr) return read(reader);
      try {
        read(store::BoundedReader(reader, session.kept->most_reads()));
      } catch (const store::TooManyReads&) {
        throw TooMuchToRead{};
      }
    };
    const bool keeps = session.kept != nullptr && session.kept->is_of(session.store);
    const auto place = keeps ? std::nullopt : await_reading(session);
    try {
      if (keeps) {
        session.kept->read(session.lock_timeout_s, look);
      } else {
        static_cast<void>(store::rocks::read_snapshot(session.store, session.lock_timeout_s, look));
      }
    } catch (const store::rocks::DamageError& damage) {
      if (session.damaged == nullptr) throw;
      session.damaged->query(session, damage, read);
      return true;
    }
    return !older;
  };
  if (ask()) return;
  transact(session, [](Change&) {});  // which migrates it
  static_cast<void>(ask());
}

void query_repaired(const Session& session, const std::function<void(const store::Reader&)>& read) {
  bool undone = false;
  if (session.damaged != nullptr) return query(session, read);
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
