// One tenure of the store lock: what a writer does from the time it has it until others get it.

#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "manager/core/change.h"
#include "manager/engine/effects.h"
#include "manager/engine/session.h"
#include "store/rocks/database.h"
#include "store/store_lock.h"

namespace fq::manager {

class Tenure {
 public:
  Tenure(const Session& session, store::StoreLock lock)
      : session_(session),
        lock_(std::move(lock)),
        database_(store::rocks::Database::open(store::database_path(session.store), /*create=*/false)) {}

  /// Runs one step and commits it; with the last one, the scheduling pass. Returns what the step returned.
  bool run(const Steps& steps);

  /// What must be done before others get the lock; then closes the database.
  void close();

  /// Whether any step was committed.
  [[nodiscard]] bool stored() const { return stored_; }
  /// Whether a pass was due when this began, or steps of work were left: somebody else is at it.
  [[nodiscard]] bool found_pass_due() const { return found_pass_due_; }
  [[nodiscard]] Effects take_effects() { return std::move(effects_); }
  [[nodiscard]] const StoreCondition& condition() const { return condition_; }

 private:
  /// What follows the commit may fail or, when this process dies, never be: orders to shells, and the rest of
  /// work that is done in steps. So before it the waker is told when to look; where that cannot be, nothing
  /// is committed.
  void call_waker(const Effects& effects);
  void wake_at(double boot_time);
  void bring_forward(store::Transaction& transaction);
  /// What the shells will read, before anybody can know of their start: an order that comes after the commit
  /// finds the guest directory as it will stay. On a full disk nothing is committed; after another failure no
  /// shell is started here.
  void prepare_guests(Effects& effects);
  void plan_starts(Change& change);
  void remove_last_runs();
  void plan_waker();
  /// Where schedulers that are programs are to be asked: that somebody does.
  void plan_consultation();

  const Session& session_;
  store::StoreLock lock_;
  store::rocks::Database database_;
  Effects effects_;
  std::string baseline_;
  std::optional<double> deadline_;  ///< boot time
  double look_ = INFINITY;          ///< the first of those for what is left of jobs, boot time
  StoreCondition condition_;
  bool running_ = false;
  bool orders_ = false;
  bool consultation_due_ = false;
  bool unfinished_ = false;  ///< by any step so far
  bool found_pass_due_ = false;
  bool first_ = true;
  bool stored_ = false;
};

}  // namespace fq::manager
