#include "manager/forgotten_shells.h"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "base/attempt.h"
#include "base/clock.h"
#include "document/resource_set.h"
#include "exec/control.h"
#include "exec/launch.h"
#include "exec/liveness.h"
#include "exec/shell.h"
#include "job/actions.h"
#include "job/events.h"
#include "manager/drain.h"
#include "manager/post.h"

namespace fq::manager {

namespace {

// Between the signal that asks tasks to end and the one that ends them lie 5 s by default.
constexpr double kPatience_s = 20;
constexpr double kBetweenLooks_s = 0.02;

std::vector<JobId> forgotten_shells(Change& change) {
  const exec::JobFiles files = change.files();
  std::vector<JobId> ids;
  for (const JobId id : files.alive_ids()) {
    const job::Job* job = change.find_job(id);
    if ((job == nullptr || !job::wants_shell(*job)) && exec::shell_alive(files, id)) ids.push_back(id);
  }
  return ids;
}

// Whether its tasks have ended: a shell that has recorded so waits for the lock with nothing in its hands.
bool is_over(const exec::JobFiles& files, JobId id) {
  if (!exec::shell_alive(files, id)) return true;
  bool over = false;
  attempt(
      [&] { over = exec::recorded_outcome(files, id, exec::read_launch(files, id).attempt).has_value(); });
  return over;
}

// Where nothing says what the shell holds, that may be everything.
notation::Idset ranks_of(Change& change, JobId id) {
  notation::Idset ranks = change.pool().inventory().ranks();
  attempt([&] {
    ranks = document::ResourceSet::parse(exec::read_launch(change.files(), id).R).ranks().intersect(ranks);
  });
  return ranks;
}

}  // namespace

void end_forgotten_shells(Change& change, const Report& report) {
  const exec::JobFiles files = change.files();
  const std::vector<JobId> ids = forgotten_shells(change);
  for (const JobId id : ids) attempt([&] { exec::write_control(files, id, exec::ControlCancel{}); });
  const Clock& clock = *change.session().clock;
  const double deadline = clock.boot_time() + kPatience_s;
  const auto all_over = [&] {
    return std::all_of(ids.begin(), ids.end(), [&](JobId id) { return is_over(files, id); });
  };
  while (!all_over() && clock.boot_time() < deadline) pause_for(kBetweenLooks_s);
  for (const JobId id : ids) {
    if (is_over(files, id)) {
      report(fmt::format("job {}: it ran, though what the store knew of that was lost: its tasks were ended",
                         id));
    } else {
      report(
          fmt::format("job {}: it runs, though what the store knew of that was lost, and does not end: its "
                      "nodes are drained",
                      id));
      drain(change, ranks_of(change, id), fmt::format("tasks of job {}, of which a repair knew nothing", id));
    }
    const job::Job* job = change.find_job(id);
    if (job == nullptr || job->state >= job::State::run) continue;
    post(change, id,
         job::events::exception(change.now(), "damage", 0, "what the store knew of its start was lost"));
  }
}

}  // namespace fq::manager
