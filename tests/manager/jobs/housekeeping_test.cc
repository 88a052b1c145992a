// Housekeeping: who has the nodes meanwhile, what becomes of them, and shells that are lost.

#include "manager/jobs/housekeeping.h"

#include <csignal>

#include "manager/core/queues_fixture.h"
#include "manager/engine/lost_shells.h"
#include "records/instance.h"

namespace fq::test {
namespace {

using notation::JobId;

constexpr const char* kClean = "[job-manager.housekeeping]\ncommand = ['/bin/true', '-v']\ntimeout = '1m'\n";

class HousekeepingTest : public QueuesTest {
 protected:
  /// What runs after a job; an id of 0 where nothing does.
  JobId after(JobId job) {
    for (const auto& [id, shell] : s.launcher.shells) {
      if (shell.plan.housekeeping && shell.plan.of == job) return id;
    }
    return {};
  }
  void report(JobId id, int status = 0) {
    manager::HousekeepingEnd end{
        id,
        s.launcher.shells.at(id).plan.attempt,
        {status, status == 0 ? "" : "exited with 3: no disk", false, false, s.clock.now()},
        "{\"timestamp\":1.0,\"name\":\"header\"}\n"};
    manager::transact(s.session, [&](manager::Change& change) { manager::finish_housekeeping(change, end); });
    s.launcher.shells.erase(id);
  }
  std::string listed() {
    std::string out;
    for (const request::RunningHousekeeping& each : manager::list_housekeeping(s.session).running)
      out += fmt::format("{} {} {}\n", each.job, each.nodelist, each.attempt);
    return out;
  }
};

TEST_F(HousekeepingTest, a_job_is_over_and_its_nodes_are_not_free_before_it_has_ended) {
  // Jobs that wait for them start in the transaction that ends it. What it wrote is the job's.
  ASSERT_EQ(load(kClean), "no error");
  const JobId id = s.submit(16), other = s.submit(16);
  s.finish(id);
  EXPECT_EQ(s.states({id, other}), "CD S");
  EXPECT_EQ(s.events(id), "submit validate depend priority alloc start finish release free clean");
  const JobId own = after(id);
  ASSERT_NE(own, JobId{});
  EXPECT_EQ(s.launcher.shells.at(own).plan.housekeeping, (meeting::PerilogPlan{{"/bin/true", "-v"}, 60, 10}));
  EXPECT_EQ(s.launcher.shells.at(own).plan.status, 0);
  EXPECT_EQ(listed(), fmt::format("{} node[0-3] 1\n", id));
  EXPECT_NE(why(other).find(fmt::format("node[0-3] is being cleaned up after job {}", id)), std::string::npos)
      << why(other);
  EXPECT_EQ(s.faults(), "");
  report(own);
  EXPECT_EQ(s.states({other}), "R");
  EXPECT_EQ(s.document(id, "guest.housekeeping"), "{\"timestamp\":1.0,\"name\":\"header\"}\n");
  EXPECT_EQ(listed(), "");
  s.finish(other);
  report(after(other));
  EXPECT_EQ(s.drained(), "");
}

TEST_F(HousekeepingTest, one_that_fails_drains_its_nodes) {
  // Unless the configuration says otherwise, as it was when it began.
  ASSERT_EQ(load(kClean), "no error");
  const JobId id = s.submit(1);
  s.finish(id, 256);
  ASSERT_EQ(load("[job-manager.housekeeping]\ncommand = '/bin/true'\ndrain = false\n"), "no error");
  report(after(id), 3 << 8);
  const std::string reason =
      fmt::format("0 housekeeping after job {} failed: '/bin/true -v' exited with 3: no disk\n", id);
  EXPECT_EQ(s.drained(), reason);
  EXPECT_EQ(s.states({id}), "F");
  const JobId kept = s.submit(1);
  s.finish(kept);
  report(after(kept), 3 << 8);
  EXPECT_EQ(s.drained(), reason);
}

TEST_F(HousekeepingTest, one_whose_shell_is_lost_is_begun_anew_and_given_up_at_last) {
  // It holds its nodes until then.
  ASSERT_EQ(load(kClean), "no error");
  const JobId id = s.submit(1);
  s.finish(id);
  const JobId own = after(id);
  for (std::uint32_t attempt = 2; attempt <= manager::kMaxAttempts; ++attempt) {
    s.kill_shell(own);
    s.tick();
    EXPECT_EQ(after(id), own);
    EXPECT_EQ(listed(), fmt::format("{} node0 {}\n", id, attempt));
  }
  EXPECT_EQ(s.faults(), "");
  s.kill_shell(own);
  s.tick();
  EXPECT_EQ(listed(), "");
  EXPECT_EQ(s.drained(),
            fmt::format("0 housekeeping after job {} failed: '/bin/true -v' was killed with its shell, "
                        "each time\n",
                        id));
}

TEST_F(HousekeepingTest, reports_that_come_twice_or_late_change_nothing) {
  // Of an attempt that is not the present one, and of what is over.
  ASSERT_EQ(load(kClean), "no error");
  const JobId id = s.submit(1);
  s.finish(id);
  const JobId own = after(id);
  manager::transact(s.session, [&](manager::Change& change) {
    manager::finish_housekeeping(change, {own, 7, {}, {}});
  });
  EXPECT_EQ(listed(), fmt::format("{} node0 1\n", id));
  report(own);
  manager::transact(s.session, [&](manager::Change& change) {
    manager::finish_housekeeping(change, {own, 1, {}, {}});
  });
  EXPECT_EQ(listed(), "");
}

TEST_F(HousekeepingTest, jobs_that_never_ran_have_none_and_canceled_ones_have) {
  ASSERT_EQ(load(kClean), "no error");
  const JobId all = s.submit(16), pending = s.submit(1);
  s.cancel(pending);
  EXPECT_EQ(after(pending), JobId{});
  s.cancel(all);
  s.finish(all, 15);
  EXPECT_EQ(s.states({all}), "CA");
  report(after(all));
  EXPECT_EQ(s.drained(), "");
}

}  // namespace
}  // namespace fq::test
