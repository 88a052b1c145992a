// fq-shell: the job shell. Runs one job's prolog, tasks and epilog, as far as it has them, and tells the
// store of the end of each: its last act frees the resources, schedules and starts the next jobs. So does
// that of housekeeping, after a job.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <limits>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/fault_point.h"
#include "base/memory.h"
#include "base/try_to.h"
#include "manager/engine/inbox.h"
#include "manager/engine/maintenance.h"
#include "manager/jobs/finish.h"
#include "manager/jobs/housekeeping.h"
#include "manager/jobs/perilog.h"
#include "meeting/launch.h"
#include "meeting/launch_anew.h"
#include "meeting/liveness.h"
#include "shell/perilog.h"
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

// Tells the store what has ended, and learns what is to be done next.
struct Reporter {
  const meeting::JobFiles& files;
  notation::JobId id;
  const manager::Session& session;
  manager::StoreCondition condition;
  std::optional<meeting::LaunchPlan> next;

  /// `work` posts the end of what this attempt has done; nobody does it again whose job is over by then.
  void report(std::uint32_t attempt, const manager::Work& work) {
    condition = manager::transact_unless(
        session, [&] { return manager::end_served(files, id); },
        [&](manager::Change& change) {
          work(change);
          next = manager::next_plan(change, id, attempt);
        },
        manager::FullDisk::use_reserve);
  }
};

void run_perilog(Reporter& reporter, const meeting::LaunchPlan& plan, document::PerilogKind kind) {
  const meeting::PerilogOutcome outcome =
      shell::run_perilog(reporter.files, plan, kind, *reporter.session.clock);
  reporter.next.reset();
  retry_until_done([&] {
    const manager::PerilogRequest request =
        manager::collect_perilog(reporter.files, reporter.id, plan.attempt, kind, outcome);
    reporter.report(plan.attempt, [&](manager::Change& change) { manager::finish_perilog(change, request); });
  });
  fault_point("perilog-stored");
}

void run_housekeeping(Reporter& reporter, const meeting::LaunchPlan& plan) {
  const meeting::PerilogOutcome outcome =
      shell::run_perilog(reporter.files, plan, document::PerilogKind::housekeeping, *reporter.session.clock);
  reporter.next.reset();
  retry_until_done([&] {
    const manager::HousekeepingEnd end =
        manager::collect_housekeeping(reporter.files, reporter.id, plan.attempt, outcome);
    reporter.report(plan.attempt,
                    [&](manager::Change& change) { manager::finish_housekeeping(change, end); });
  });
  fault_point("perilog-stored");
}

void run_tasks(Reporter& reporter, const meeting::LaunchPlan& plan) {
  const meeting::ShellOutcome outcome = shell::run_shell(reporter.files, plan, *reporter.session.clock);
  reporter.next.reset();
  retry_until_done([&] {
    const manager::FinishRequest request =
        manager::collect_finish(reporter.files, reporter.id, plan.attempt, outcome);
    fault_point("guest-collected");
    manager::announce_end(reporter.files, reporter.id);
    fault_point("end-announced");
    reporter.report(plan.attempt, [&](manager::Change& change) { manager::finish_job(change, request); });
  });
}

// Where it cannot begin anew the tasks are run by this process, with all that it has gathered.
void begin_anew(const meeting::JobFiles& files, const meeting::LaunchPlan& plan) {
  fault_point("perilog-over");
  try_to([&] { meeting::launch_anew(files, plan); });
}

int run(const std::string& store, notation::JobId id) {
  const SystemClock clock;
  manager::ProcessLauncher launcher;
  const meeting::JobFiles files(store);
  const UniqueFd alive = meeting::inherit_alive(files, id);
  manager::Session session;
  session.store = files.store();
  session.command = "fq-shell";
  session.lock_timeout_s = std::numeric_limits<double>::infinity();
  session.caller = manager::Credential::of_process();
  session.clock = &clock;
  session.launcher = &launcher;
  session.compacts = true;
  Reporter reporter{files, id, session, {}, {}};
  for (std::optional<meeting::LaunchPlan> plan = meeting::read_launch(files, id); plan;
       plan = reporter.next) {
    if (plan->housekeeping) {
      run_housekeeping(reporter, *plan);
    } else if (plan->epilog) {
      run_perilog(reporter, *plan, document::PerilogKind::epilog);
    } else if (plan->prolog) {
      run_perilog(reporter, *plan, document::PerilogKind::prolog);
      if (reporter.next && !reporter.next->epilog) begin_anew(files, *reporter.next);
    } else {
      run_tasks(reporter, *plan);
    }
  }
  fault_point("end-stored");
  manager::maintain(session, reporter.condition);
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
