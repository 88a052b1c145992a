// Prologs and epilogs: their events, what becomes of the job and of its nodes, and shells that are lost
// meanwhile.

#include "manager/jobs/perilog.h"

#include <csignal>

#include "manager/core/queues_fixture.h"
#include "manager/engine/lost_shells.h"
#include "manager/jobs/finish.h"
#include "meeting/control.h"

namespace fq::test {
namespace {

using document::PerilogKind;
using notation::JobId;

constexpr const char* kBoth = R"(
[job-manager.prolog]
command = ["/bin/true", "before"]
timeout = "1m"
[job-manager.epilog]
command = "/bin/true"
)";
constexpr std::string_view kBegun = "submit validate depend priority alloc prolog-start";

class PerilogTest : public QueuesTest {
 protected:
  /// What the shell is told to do next: `prolog`, `tasks`, `epilog`, `-`: nothing, and it ends.
  std::string next(JobId id, const std::function<void(manager::Change&)>& work) {
    std::optional<meeting::LaunchPlan> plan;
    const std::uint32_t attempt = s.launcher.shells.at(id).plan.attempt;
    manager::transact(s.session, [&](manager::Change& change) {
      work(change);
      plan = manager::next_plan(change, id, attempt);
    });
    if (!plan) s.launcher.shells.erase(id);
    return plan ? phase(*plan) : "-";
  }
  static std::string phase(const meeting::LaunchPlan& plan) {
    return plan.prolog ? "prolog" : plan.epilog ? "epilog" : "tasks";
  }
  std::string phase(JobId id) { return phase(s.launcher.shells.at(id).plan); }
  std::string report(JobId id, PerilogKind kind, int status = 0, bool expired = false) {
    manager::PerilogRequest request{
        id,
        s.launcher.shells.at(id).plan.attempt,
        kind,
        {status, status == 0 ? "" : "exited with 3: no disk", expired, false, s.clock.now()},
        {}};
    return next(id, [&](manager::Change& change) { manager::finish_perilog(change, request); });
  }
  void finish(manager::Change& change, JobId id, int status) {
    manager::FinishRequest request;
    request.id = id;
    request.attempt = s.launcher.shells.at(id).plan.attempt;
    request.status = status;
    request.t_finish = change.now();
    manager::finish_job(change, request);
  }
  std::string end_tasks(JobId id, int status = 0) {
    return next(id, [&](manager::Change& change) { finish(change, id, status); });
  }
  /// The shell is killed, and the next writer comes by.
  void lose_shell(JobId id) {
    s.kill_shell(id);
    s.tick();
  }
};

TEST_F(PerilogTest, they_frame_the_tasks_and_the_epilog_holds_what_the_job_has) {
  // The events of RFC 21 in their order; nobody gets the job's cores before its epilog has ended.
  ASSERT_EQ(load(kBoth), "no error");
  const JobId id = s.submit(16), other = s.submit(1);
  EXPECT_EQ(s.events(id), kBegun);
  EXPECT_EQ(phase(id), "prolog");
  EXPECT_EQ(s.launcher.shells.at(id).plan.prolog, (meeting::PerilogPlan{{"/bin/true", "before"}, 60, 10}));
  EXPECT_NE(why(id).find("its prolog is run before its tasks start"), std::string::npos) << why(id);
  EXPECT_EQ(report(id, PerilogKind::prolog), "tasks");
  EXPECT_EQ(s.states({id, other}), "R S");
  EXPECT_EQ(end_tasks(id, 256), "epilog");
  EXPECT_EQ(s.states({id, other}), "C S");
  EXPECT_NE(why(id).find("its epilog is run"), std::string::npos) << why(id);
  EXPECT_EQ(report(id, PerilogKind::epilog), "-");
  EXPECT_EQ(s.events(id), std::string{kBegun} +
                              " prolog-finish start finish epilog-start epilog-finish release free clean");
  EXPECT_EQ(s.states({id, other}), "F R");
  EXPECT_EQ(s.drained(), "");
}

TEST_F(PerilogTest, a_failed_prolog_ends_the_job_and_drains_its_nodes) {
  // No task was started; the epilog is run all the same.
  ASSERT_EQ(load(kBoth), "no error");
  const JobId id = s.submit(1);
  EXPECT_EQ(report(id, PerilogKind::prolog, 3 << 8), "epilog");
  EXPECT_EQ(s.drained(),
            fmt::format("0 prolog of job {} failed: '/bin/true before' exited with 3: no disk\n", id));
  EXPECT_EQ(report(id, PerilogKind::epilog), "-");
  EXPECT_EQ(s.events(id),
            std::string{kBegun} + " prolog-finish exception epilog-start epilog-finish release free clean");
  EXPECT_EQ(s.job(id).exception,
            (job::Exception{true, 0, "prolog", "'/bin/true before' exited with 3: no disk"}));
  EXPECT_EQ(s.states({id}), "F");
}

TEST_F(PerilogTest, a_failed_prolog_may_requeue_the_job_which_starts_elsewhere) {
  // On other nodes, for these are drained, with a prolog again.
  ASSERT_EQ(load("[job-manager.prolog]\ncommand = '/bin/true'\non-failure = 'requeue'\n"), "no error");
  const JobId id = s.submit(4);
  const std::string first = s.job(id).nodelist;
  EXPECT_EQ(report(id, PerilogKind::prolog, 3 << 8), "-");
  s.tick();
  EXPECT_EQ(s.states({id}), "R");
  EXPECT_NE(s.job(id).nodelist, first);
  EXPECT_EQ(s.job(id).attempt, 2U);
  EXPECT_EQ(s.events(id),
            std::string{kBegun} + " prolog-finish requeue release free priority alloc prolog-start");
  EXPECT_EQ(report(id, PerilogKind::prolog), "tasks");
  EXPECT_EQ(end_tasks(id), "-");
  EXPECT_EQ(s.states({id}), "CD");
}

TEST_F(PerilogTest, a_failed_epilog_drains_and_leaves_the_result) {
  // An exception of severity 1 tells of it. Nodes stay where the configuration says so.
  ASSERT_EQ(load("[job-manager.epilog]\ncommand = '/bin/true'\n"), "no error");
  const JobId id = s.submit(1);
  EXPECT_EQ(end_tasks(id), "epilog");
  EXPECT_EQ(report(id, PerilogKind::epilog, 3 << 8), "-");
  EXPECT_EQ(s.states({id}), "CD");
  EXPECT_EQ(s.job(id).exception, (job::Exception{true, 1, "epilog", "'/bin/true' exited with 3: no disk"}));
  EXPECT_EQ(s.drained(), fmt::format("0 epilog of job {} failed: '/bin/true' exited with 3: no disk\n", id));

  ASSERT_EQ(load("[job-manager.epilog]\ncommand = '/bin/true'\ndrain = false\n"), "no error");
  const JobId kept = s.submit(1);
  EXPECT_EQ(end_tasks(kept), "epilog");
  EXPECT_EQ(report(kept, PerilogKind::epilog, 9), "-");
  EXPECT_EQ(s.drained(), fmt::format("0 epilog of job {} failed: '/bin/true' exited with 3: no disk\n", id));
}

TEST_F(PerilogTest, cancel_and_time_limit_end_a_prolog_and_are_no_failure_of_it) {
  // The order goes to its shell; an epilog is told of no cancel.
  ASSERT_EQ(load(kBoth), "no error");
  const JobId canceled = s.submit(1), late = s.submit(spec(R"("duration":60)"));
  s.cancel(canceled);
  EXPECT_TRUE(meeting::cancel_ordered(s.session.files(), canceled));
  EXPECT_EQ(s.states({canceled}), "C");
  EXPECT_EQ(report(canceled, PerilogKind::prolog, 15), "epilog");
  EXPECT_EQ(s.events(canceled), std::string{kBegun} + " exception prolog-finish epilog-start");
  EXPECT_EQ(report(canceled, PerilogKind::epilog), "-");
  EXPECT_EQ(s.states({canceled}), "CA");
  EXPECT_EQ(report(late, PerilogKind::prolog, 15, /*expired=*/true), "epilog");
  EXPECT_EQ(report(late, PerilogKind::epilog), "-");
  EXPECT_EQ(s.states({late}), "TO");
  EXPECT_EQ(s.drained(), "");
}

TEST_F(PerilogTest, one_whose_shell_is_lost_is_begun_anew) {
  // By another shell, which for an epilog does nothing else.
  ASSERT_EQ(load(kBoth), "no error");
  const JobId id = s.submit(1);
  lose_shell(id);
  EXPECT_EQ(phase(id), "prolog");
  EXPECT_EQ(s.events(id), std::string{kBegun} + " shell-restart");
  EXPECT_EQ(report(id, PerilogKind::prolog), "tasks");
  EXPECT_EQ(end_tasks(id), "epilog");
  lose_shell(id);
  EXPECT_EQ(phase(id), "epilog");
  EXPECT_EQ(s.states({id}), "C");
  EXPECT_EQ(s.launcher.shells.at(id).plan.attempt, 3U);
  EXPECT_EQ(report(id, PerilogKind::epilog), "-");
  EXPECT_EQ(s.states({id}), "CD");
  EXPECT_EQ(s.events(id), std::string{kBegun} +
                              " shell-restart prolog-finish start finish epilog-start shell-restart "
                              "epilog-finish release free clean");
}

TEST_F(PerilogTest, the_epilog_of_a_job_whose_shell_is_lost_is_run_by_another_one) {
  // Also where its shell was lost each time before a task had started.
  ASSERT_EQ(load("[job-manager.epilog]\ncommand = '/bin/true'\n"), "no error");
  const JobId id = s.submit(1);
  for (std::uint32_t attempt = 1; attempt <= manager::kMaxAttempts; ++attempt) lose_shell(id);
  EXPECT_EQ(s.states({id}), "C");
  EXPECT_EQ(phase(id), "epilog");
  EXPECT_EQ(report(id, PerilogKind::epilog), "-");
  EXPECT_EQ(s.states({id}), "F");
  EXPECT_EQ(s.job(id).exception.note, "the job shell was killed");
}

TEST_F(PerilogTest, one_that_kills_its_shell_each_time_is_given_up) {
  // The prolog's job fails, its epilog is tried as often again, and its nodes are drained.
  ASSERT_EQ(load(kBoth), "no error");
  const JobId id = s.submit(1);
  for (std::uint32_t i = 0; i < manager::kMaxAttempts; ++i) lose_shell(id);
  EXPECT_EQ(phase(id), "epilog");
  EXPECT_EQ(s.job(id).exception.note, "the job shell was killed");
  EXPECT_EQ(s.drained(), "");
  for (std::uint32_t i = s.job(id).attempt; i <= manager::kMaxAttemptsWithEpilog; ++i) lose_shell(id);
  EXPECT_EQ(s.states({id}), "F");
  EXPECT_EQ(
      s.drained(),
      fmt::format("0 epilog of job {} failed: '/bin/true' was killed with the job shell, each time\n", id));
}

TEST_F(PerilogTest, what_the_configuration_says_when_it_is_due_holds) {
  // A job that runs gets the epilog that is loaded meanwhile; one that begun ends though it is taken away.
  const JobId id = s.submit(1);
  EXPECT_EQ(s.events(id), "submit validate depend priority alloc start");
  ASSERT_EQ(load(kBoth), "no error");
  EXPECT_EQ(end_tasks(id), "epilog");
  ASSERT_EQ(load(""), "no error");
  EXPECT_EQ(report(id, PerilogKind::epilog), "-");
  EXPECT_EQ(s.states({id}), "CD");
  EXPECT_TRUE(s.document(id, "eventlog")
                  .find(R"("name":"epilog-finish","context":{"description":"/bin/true","status":0})") !=
              std::string::npos);
}

TEST_F(PerilogTest, reports_that_come_twice_or_late_change_nothing) {
  // Of what is not under way, and of an attempt that is not the present one.
  ASSERT_EQ(load(kBoth), "no error");
  const JobId id = s.submit(1);
  EXPECT_EQ(report(id, PerilogKind::epilog), "prolog");
  manager::transact(s.session, [&](manager::Change& change) {
    manager::finish_perilog(change, {id, 7, PerilogKind::prolog, {}, {}});
  });
  EXPECT_EQ(s.events(id), kBegun);
  EXPECT_EQ(report(id, PerilogKind::prolog), "tasks");
  EXPECT_EQ(report(id, PerilogKind::prolog), "tasks");
  EXPECT_EQ(s.events(id), std::string{kBegun} + " prolog-finish start");
}

}  // namespace
}  // namespace fq::test
