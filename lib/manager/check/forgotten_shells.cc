#include "manager/check/forgotten_shells.h"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "base/clock.h"
#include "base/try_to.h"
#include "document/resource/resource_set.h"
#include "job/actions.h"
#include "job/events.h"
#include "manager/core/post.h"
#include "manager/site/drain.h"
#include "meeting/control.h"
#include "meeting/launch.h"
#include "meeting/liveness.h"
#include "meeting/outcome.h"
#include "records/housekeeping.h"

namespace fq::manager {

namespace {

// Between the signal that asks tasks to end and the one that ends them lie 5 s by default.
constexpr double kEndPatience_s = 20;
constexpr double kBetweenLooks_s = 0.02;

// A shell, and what it was told.
struct Forgotten {
  JobId id;
  std::uint32_t attempt = 0;  ///< 0: nobody knows
  notation::Idset ranks;      ///< that it may hold: all, where nobody knows
};

std::vector<Forgotten> forgotten_shells(Change& change) {
  const meeting::JobFiles files = change.files();
  std::vector<Forgotten> shells;
  for (const JobId id : files.alive_ids()) {
    const job::Job* job = change.find_job(id);
    if (records::find_housekeeping(change.transaction(), id)) continue;
    if ((job != nullptr && job::wants_shell(*job)) || !meeting::shell_alive(files, id)) continue;
    Forgotten shell{id, 0, change.pool().inventory().ranks()};
    try_to([&] {
      const meeting::LaunchPlan plan = meeting::read_launch(files, id);
      shell.ranks = document::ResourceSet::parse(plan.R).ranks().intersect(shell.ranks);
      shell.attempt = plan.attempt;
    });
    // The end of its last run is known, and it goes by itself.
    if (job != nullptr && job->t_requeue > 0 && shell.attempt <= job->attempt) continue;
    shells.push_back(std::move(shell));
  }
  return shells;
}

// Whether its tasks have ended: a shell that has recorded so waits for the lock with nothing in its hands.
bool is_over(const meeting::JobFiles& files, const Forgotten& shell) {
  return !meeting::shell_alive(files, shell.id) ||
         (shell.attempt != 0 && meeting::recorded_outcome(files, shell.id, shell.attempt));
}

}  // namespace

void end_forgotten_shells(Change& change, const Report& report) {
  const meeting::JobFiles files = change.files();
  const std::vector<Forgotten> shells = forgotten_shells(change);
  for (const Forgotten& shell : shells)
    try_to([&] { meeting::write_control(files, shell.id, meeting::ControlCancel{}); });
  const Clock& clock = *change.session().clock;
  const double deadline = clock.boot_time() + kEndPatience_s;
  const auto all_over = [&] {
    return std::all_of(shells.begin(), shells.end(),
                       [&](const auto& shell) { return is_over(files, shell); });
  };
  while (!all_over() && clock.boot_time() < deadline) pause_for(kBetweenLooks_s);
  for (const Forgotten& shell : shells) {
    const JobId id = shell.id;
    if (is_over(files, shell)) {
      report(fmt::format("job {}: it ran, though what the store knew of that was lost: its tasks were ended",
                         id));
    } else {
      report(
          fmt::format("job {}: it runs, though what the store knew of that was lost, and does not end: its "
                      "nodes are drained",
                      id));
      drain(change, shell.ranks, fmt::format("tasks of job {}, of which a repair knew nothing", id));
    }
    const job::Job* job = change.find_job(id);
    if (job == nullptr || job->state >= job::State::run) continue;
    post(change, id,
         job::events::exception(change.now(), "damage", 0, "what the store knew of its start was lost"));
  }
}

}  // namespace fq::manager
