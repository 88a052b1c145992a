// Jobs that are preempted: what becomes of them, and that a crash between leaves nothing undone.

#include "manager/pass/preemption.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "manager/jobs/finish.h"
#include "manager/pass/preemption_fixture.h"
#include "meeting/task_record.h"
#include "support/error_text.h"

namespace fq::test {
namespace {

using notation::JobId;

TEST_F(PreemptionTest, a_job_is_told_then_ends_and_waits_again_while_the_other_has_what_it_held) {
  // Each side can say so, at each step.
  ASSERT_EQ(load(kStandby), "no error");
  const JobId victim = submit_standby(16);
  s.clock.advance(100);
  const JobId urgent = s.submit(4);
  EXPECT_EQ(s.states({victim, urgent}), "R S");
  EXPECT_TRUE(warned(victim));
  EXPECT_FALSE(ended(victim));
  EXPECT_NE(why(victim).find(fmt::format("it is preempted for job {} and will be requeued at ", urgent)),
            std::string::npos)
      << why(victim);
  EXPECT_NE(why(urgent).find(fmt::format("job {} is preempted for it and ends at ", victim)),
            std::string::npos)
      << why(urgent);
  EXPECT_NE(why(urgent).find("waiting for 1 preempted job"), std::string::npos) << why(urgent);
  later(29);
  EXPECT_EQ(s.states({victim, urgent}), "R S");
  later(1);
  EXPECT_EQ(s.states({victim, urgent}), "C S");
  EXPECT_TRUE(ended(victim));
  EXPECT_NE(why(victim).find(fmt::format(
                "it is preempted for job {} and will wait again once its tasks have ended", urgent)),
            std::string::npos)
      << why(victim);
  EXPECT_NE(why(urgent).find(fmt::format("job {} is preempted for it and is ending", victim)),
            std::string::npos);
  s.finish(victim, 15);
  EXPECT_EQ(s.states({victim, urgent}), "S R");
  EXPECT_NE(why(victim).find(fmt::format("it was preempted for job {} and waits again since ", urgent)),
            std::string::npos)
      << why(victim);
  EXPECT_EQ(s.job(victim).nodelist, "");
  s.finish(urgent);
  later(1);
  EXPECT_EQ(s.states({victim, urgent}), "R CD");
  s.finish(victim);
  EXPECT_EQ(
      s.events(victim),
      "submit validate depend priority alloc start preempt requeue finish release free priority alloc start "
      "finish release free clean");
  EXPECT_EQ(s.states({victim}), "CD");
}

TEST_F(PreemptionTest, a_job_that_ends_with_success_in_its_grace_is_done) {
  ASSERT_EQ(load(kStandby), "no error");
  const JobId victim = submit_standby(16);
  const JobId urgent = s.submit(4);
  s.finish(victim, 0);
  EXPECT_EQ(s.states({victim, urgent}), "CD R");
}

TEST_F(PreemptionTest, a_job_that_fails_in_its_grace_waits_again) {
  // Most programs end by the signal that tells them.
  ASSERT_EQ(load(kStandby), "no error");
  const JobId victim = submit_standby(16);
  const JobId urgent = s.submit(4);
  s.finish(victim, 15);
  EXPECT_EQ(s.states({victim, urgent}), "S R");
}

TEST_F(PreemptionTest, a_canceled_one_has_an_exception_that_says_for_whom) {
  ASSERT_EQ(load(R"(
[policy.scheduler]
preempt = ["standby"]
preempt-mode = "cancel"
)"),
            "no error");
  const JobId victim = submit_standby(16);
  const JobId urgent = s.submit(4);
  EXPECT_EQ(s.states({victim, urgent}), "C S");
  EXPECT_TRUE(ended(victim));
  s.finish(victim, 15);
  EXPECT_EQ(s.states({victim, urgent}), "F R");
  const job::Job job = s.job(victim);
  EXPECT_EQ(fmt::format("{} {} {}", job.exception.type, job.exception.severity, job.exception.note),
            fmt::format("preempt 0 preempted for job {}", urgent));
}

TEST_F(PreemptionTest, one_that_was_requeued_as_often_as_it_allows_is_canceled) {
  // Once, here.
  ASSERT_EQ(load("policy.scheduler.preempt = [\"standby\"]"), "no error");
  const JobId victim = s.submit(spec(standby() + R"(,"requeue":1)", 16));
  for (const char* end : {"S R", "F R"}) {
    EXPECT_EQ(s.states({victim}), "R");
    const JobId urgent = s.submit(4);
    s.finish(victim, 15);
    EXPECT_EQ(s.states({victim, urgent}), end);
    s.finish(urgent);
    later(61);
  }
  EXPECT_EQ(error_text([&] { return s.submit(spec(R"("requeue":-1)", 1)); }),
            "jobspec: attributes.system.requeue: expected an integer from 0 to 1000, got -1");
}

TEST_F(PreemptionTest, who_cancels_a_preempted_job_ends_it) {
  // In its grace, and while it ends.
  ASSERT_EQ(load(kStandby), "no error");
  const JobId first = submit_standby(16);
  const JobId urgent = s.submit(4);
  s.cancel(first);
  s.finish(first, 15);
  EXPECT_EQ(s.states({first, urgent}), "CA R");
  s.finish(urgent);
  const JobId second = submit_standby(16);
  const JobId other = s.submit(4);
  later(30);
  s.cancel(second);
  s.finish(second, 15);
  EXPECT_EQ(s.states({second, other}), "CA R");
}

TEST_F(PreemptionTest, what_a_dead_writer_left_undone_is_done_by_the_next) {
  // The order to the shell, and the end of the grace, follow from what is stored.
  ASSERT_EQ(load(kStandby), "no error");
  const JobId victim = submit_standby(16);
  const JobId urgent = s.submit(4);
  const meeting::JobFiles files = s.session.files();
  write_file(files.control(victim), "");
  ASSERT_FALSE(warned(victim));
  s.tick();
  EXPECT_TRUE(warned(victim));
  later(30);
  write_file(files.control(victim), "");
  s.tick();
  EXPECT_TRUE(ended(victim));
  s.finish(victim, 15);
  // Its directory is there again, as if its end had not come to remove it.
  files.create_guest(victim);
  write_file(files.guest(victim) + "/output", "of the last run");
  s.finish(urgent);
  EXPECT_EQ(s.states({victim}), "R");
  EXPECT_FALSE(exists(files.guest(victim) + "/output"));
}

TEST_F(PreemptionTest, one_whose_shell_dies_waits_again_all_the_same) {
  // In its grace, and while it ends; and nothing of its last run is taken for its new one.
  ASSERT_EQ(load(kStandby), "no error");
  const meeting::JobFiles files = s.session.files();
  for (const double wait : {0.0, 30.0}) {
    const JobId victim = submit_standby(16);
    const JobId urgent = s.submit(4);
    later(wait);
    files.create_guest(victim);
    write_file(files.tasks(victim), meeting::encode_record(meeting::TaskRecord{1, 1, 1, boot_id(), 0}));
    write_file(files.guest(victim) + "/output", "of the last run");
    s.kill_shell(victim);
    s.tick();
    EXPECT_EQ(s.states({victim, urgent}), "S R") << wait;
    EXPECT_FALSE(exists(files.guest(victim)));
    EXPECT_FALSE(s.job(victim).exception.occurred);
    s.finish(urgent);
    later(1);
    EXPECT_EQ(s.states({victim}), "R");
    EXPECT_EQ(s.job(victim).attempt, 2U);
    s.finish(victim);
  }
}

TEST_F(PreemptionTest, a_requeued_job_starts_only_once_its_last_shell_is_gone) {
  ASSERT_EQ(load("policy.scheduler = { preempt = [\"standby\"] }"), "no error");
  const JobId victim = submit_standby(16);
  const JobId urgent = s.submit(4);
  manager::transact(s.session, [&](manager::Change& change) {
    manager::finish_job(change, {victim, 1, 15, {}, change.now(), {}});
  });
  ASSERT_EQ(s.states({victim, urgent}), "S R");
  s.finish(urgent);
  later(1);
  EXPECT_EQ(s.states({victim}), "S");
  s.launcher.shells.erase(victim);
  later(1);
  EXPECT_EQ(s.states({victim}), "R");
}

}  // namespace
}  // namespace fq::test
