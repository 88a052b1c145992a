// One tenure of the store lock: what a writer does from the time it has it until others get it.

#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "manager/core/change.h"
#include "manager/engine/effects.h"
#include "manager/engine/kept_store.h"
#include "manager/engine/session.h"
#include "store/rocks/database.h"
#include "store/store_lock.h"

namespace fq::manager {

class Tenure {
 public:
  Tenure(const Session& session, KeptStore::Held held) : session_(session), held_(std::move(held)) {}

  /// Runs one step and commits it; with the last one, the scheduling pass. Returns what the step returned.
  bool run(const Steps& steps);

  /// What must be done before others get the lock; then closes the database.
  void close();
  /// The same, but that the store stays as it is. Nothing more may be run.
  [[nodiscard]] KeptStore::Held keep();
  /// Whether the database is what it was before a step that has failed: then it can be kept, too.
  [[nodiscard]] bool is_unchanged() const { return !stored_ && !committing_; }
  [[nodiscard]] KeptStore::Held keep_unchanged() { return std::move(held_); }

  /// Whether any step was committed.
  [[nodiscard]] bool stored() const { return stored_; }
  /// Whether a pass was due when this began, or steps of work were left: somebody else is at it.
  [[nodiscard]] bool found_pass_due() const { return found_pass_due_; }
  /// Whether nothing is left of what was run that needs the lock once more.
  [[nodiscard]] bool is_all_done() const { return !unfinished_ && effects_.killed.empty(); }
  [[nodiscard]] Effects take_effects() { return std::move(effects_); }
  [[nodiscard]] const StoreCondition& condition() const { return condition_; }

 private:
  void prepare_for_others();
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
  KeptStore::Held held_;
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
  bool committing_ = false;
};

}  // namespace fq::manager
