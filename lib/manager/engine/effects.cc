#include "manager/engine/effects.h"

#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/fault_point.h"
#include "base/try_to.h"
#include "manager/engine/launcher.h"
#include "manager/engine/maintenance.h"
#include "manager/engine/reserve.h"
#include "meeting/control.h"
#include "meeting/leftovers.h"
#include "meeting/liveness.h"
#include "meeting/wake.h"
#include "meeting/waker.h"
#include "process/machine/baseline.h"

namespace fq::manager {
namespace {

// Of a bulk request not each job is remembered: there are fewer who wait than memory that it would take.
constexpr std::size_t kMostChanged = 4096;

// Shells inherit what not everybody can reset: limits, nice value, control group. Who has other ones than the
// store leaves starting to the waker, which wakes when the signs of life are dropped.
bool inherits_what_is_its_own(const Session& session, const Effects& effects) {
  return !session.starts_whatever_it_inherits && !effects.planned.empty() &&
         !process::is_in_force(effects.planned.front().plan.baseline);
}

// One that is not given is found not given by whoever takes the lock next.
void give_order(const Session& session, JobId id, const meeting::ControlOrder& order) {
  try_to([&] {
    with_reserve(session.store, [&] { return meeting::write_control(session.files(), id, order); });
  });
}

// Starts the shells; false when not all of them: they are left to the waker, or there is no room for more
// processes. A job that is not started is one without a shell, which the next writer, or the waker, starts.
bool start_shells(const Session& session, Effects& effects) {
  const bool others_can = session.leaves_starting ||
                          (!session.starts_whatever_it_inherits && meeting::waker_alive(session.store));
  bool here = !others_can || (!session.leaves_starting && !inherits_what_is_its_own(session, effects));
  bool all = here;
  for (Effects::Start& start : effects.planned) {
    fault_point("shell-starting");
    if (!here || !start.prepared) {
      all = false;
      // What this process alone cannot prepare is no attempt of the job.
      if (!here || others_can) meeting::note_not_begun(start.alive);
      continue;
    }
    try {
      session.launcher->start_shell(session.files(), start.plan, std::move(start.alive));
      fault_point("shell-started");
    } catch (const Error& failure) {
      here = failure.kind() != Kind::exhausted;
      all = all && here;
    }
  }
  effects.planned.clear();
  return all;
}

}  // namespace

void add_effects(Effects& to, Effects&& from) {
  const auto move_all = [](auto& target, auto& source) {
    target.insert(target.end(), std::make_move_iterator(source.begin()),
                  std::make_move_iterator(source.end()));
  };
  move_all(to.planned, from.planned);
  move_all(to.cancels, from.cancels);
  move_all(to.preempts, from.preempts);
  move_all(to.expirations, from.expirations);
  move_all(to.ended, from.ended);
  move_all(to.requeued, from.requeued);
  move_all(to.ended_without_shell, from.ended_without_shell);
  move_all(to.killed, from.killed);
  move_all(to.looks, from.looks);
  move_all(to.purged, from.purged);
  move_all(to.changed, from.changed);
  if (to.changed.size() > kMostChanged) {
    to.changed = std::vector<JobId>{};
    to.changed_many = true;
  }
  to.pass_unfinished = to.pass_unfinished || from.pass_unfinished;
  to.dependants_left = to.dependants_left || from.dependants_left;
}

bool perform_effects(const Session& session, Effects effects, const StoreCondition& condition) {
  const meeting::JobFiles files = session.files();
  // First: starting shells takes longer than whoever waits for a change should sleep.
  if (effects.changed_many) {
    meeting::touch_all_waiters(files);
  } else {
    meeting::touch_waiters(files, effects.changed);
  }
  fault_point("waiters-touched");
  const bool started = start_shells(session, effects);
  for (const JobId id : effects.cancels) give_order(session, id, meeting::ControlCancel{});
  for (const JobId id : effects.preempts) give_order(session, id, meeting::ControlPreempt{});
  for (const Effects::Expiration& order : effects.expirations) {
    give_order(session, order.id, meeting::ControlExpiration{order.time});
  }
  fault_point("orders-written");
  for (const JobId id : effects.ended_without_shell) {
    // The record of what is to be removed goes last.
    try_to([&] {
      meeting::remove_places(files, id);
      files.remove_guest(id);
    });
  }
  if (!effects.purged.empty()) fault_point("jobs-purged");
  for (const JobId id : effects.purged) {
    try_to([&] { files.remove_data(id); });
  }
  if (session.leaves_starting) return effects.unfinished() && started;
  if (effects.start_waker) {
    try_to([&] { session.launcher->start_waker(session.store, effects.clean_waker); });
  }
  if (effects.consult) try_to([&] { session.launcher->start_consultation(session.store); });
  if (!session.compacts && leaves_work(condition)) {
    try_to([&] { session.launcher->start_compaction(session.store); });
  }
  return effects.unfinished() && started;
}

}  // namespace fq::manager
