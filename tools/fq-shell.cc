// fq-shell: the job shell. Runs one job's tasks, then ends the job: its last act frees the resources,
// schedules and starts the next ones.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <limits>
#include <string>

#include "base/error.h"
#include "base/fault_point.h"
#include "base/memory.h"
#include "manager/engine/inbox.h"
#include "manager/engine/maintenance.h"
#include "manager/jobs/finish.h"
#include "meeting/launch.h"
#include "meeting/liveness.h"
#include "shell/shell.h"

namespace {

using namespace fq;

// A shell never gives up: while it holds the job's lock nothing is lost, and what hinders it (a full disk, a
// store that cannot be opened) passes. Only out of memory it ends, and the next writer ends the job.
template <typename Act>
void retry_until_done(Act act) {
  timespec pause{0, 50'000'000};
  for (;;) {
    try {
      return act();
    } catch (const Error& failure) {
      if (failure.kind() == Kind::not_found) return;  // the store, or the job, is gone
    } catch (const std::exception&) {
    }
    ::nanosleep(&pause, nullptr);
    const bool longest = pause.tv_sec >= 5;
    const long doubled = pause.tv_sec > 0 ? 0 : pause.tv_nsec * 2;
    if (!longest)
      pause = doubled >= 1'000'000'000 || doubled == 0 ? timespec{std::max<time_t>(1, pause.tv_sec * 2), 0}
                                                       : timespec{0, doubled};
  }
}

int run(const std::string& store, notation::JobId id) {
  const SystemClock clock;
  manager::ProcessLauncher launcher;
  const meeting::JobFiles files(store);
  const UniqueFd alive = meeting::inherit_alive(files, id);
  const meeting::LaunchPlan plan = meeting::read_launch(files, id);
  const meeting::ShellOutcome outcome = shell::run_shell(files, plan, clock);

  manager::Session session;
  session.store = files.store();
  session.command = "fq-shell";
  session.lock_timeout_s = std::numeric_limits<double>::infinity();
  session.caller = manager::Credential::of_process();
  session.clock = &clock;
  session.launcher = &launcher;
  session.compacts = true;
  manager::StoreCondition condition;
  retry_until_done([&] {
    const manager::FinishRequest request = manager::collect_finish(files, id, plan.attempt, outcome);
    fault_point("guest-collected");
    manager::announce_end(files, id);
    fault_point("end-announced");
    condition = manager::transact_unless(
        session, [&] { return manager::end_served(files, id); },
        [&](manager::Change& change) { manager::finish_job(change, request); },
        manager::FullDisk::use_reserve);
  });
  fault_point("end-stored");
  manager::maintain(session, condition);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 || std::strcmp(argv[1], "--store") != 0) {
    std::fputs("fq-shell: expected --store DIR ID: it is started by fq alone\n", stderr);
    return 2;
  }
  fq::keep_memory_small();
  fq::end_when_out_of_memory("fq-shell");
  try {
    return run(argv[2], notation::parse_job_id(argv[3]));
  } catch (const std::exception&) {
    return 1;  // the free lock tells the next writer that this shell is gone
  }
}
