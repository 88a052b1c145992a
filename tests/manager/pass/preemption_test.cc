// Jobs that are preempted: whom, what becomes of them, and that a crash between leaves nothing undone.

#include "manager/pass/preemption.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

#include "base/file.h"
#include "manager/core/queues_fixture.h"
#include "manager/engine/lost_shells.h"
#include "manager/jobs/finish.h"
#include "manager/pass/period_timer.h"
#include "meeting/control.h"
#include "meeting/task_record.h"
#include "support/error_text.h"

namespace fq::test {
namespace {

using notation::JobId;

constexpr const char* kStandby = R"(
[policy.scheduler]
preempt = ["standby"]
preempt-grace = "30s"
)";

class PreemptionTest : public QueuesTest {
 protected:
  static std::string standby() { return R"("qos":"standby")"; }
  JobId submit_standby(std::uint32_t slots) { return s.submit(spec(standby(), slots)); }
  void later(double seconds) {
    s.clock.advance(seconds);
    s.tick();
  }
  /// The shell ends its tasks as it was told to.
  void obey(JobId id, int status = 15) {
    s.finish(id, status);
    later(1);
  }
  bool warned(JobId id) { return meeting::preempt_ordered(s.session.files(), id); }
  bool ended(JobId id) { return meeting::cancel_ordered(s.session.files(), id); }
};

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

TEST_F(PreemptionTest, only_jobs_that_come_later_in_the_order_are_preempted) {
  // Nobody of the same quality, none whose priority is higher, and none without being named.
  ASSERT_EQ(load(R"(
[qos.low]
[qos.high]
preempt = ["low"]
)"),
            "no error");
  const auto of = [&](const char* qos, std::uint8_t urgency) {
    return s.submit(spec(fmt::format(R"("qos":"{}","duration":60)", qos), 16), urgency);
  };
  const JobId low = of("low", 20);
  const JobId high = of("high", 16);
  EXPECT_EQ(s.job(low).preemption, job::Preemption::none);
  const JobId normal = of("normal", 30);
  EXPECT_EQ(s.job(low).preemption, job::Preemption::none);
  for (const JobId id : {normal, high}) s.cancel(id);
  const JobId higher = of("high", 20);
  EXPECT_EQ(s.job(low).preempted_by, higher);
  s.finish(low, 15);
  EXPECT_EQ(s.states({low, higher}), "S R");
  s.cancel(low);
}

TEST_F(PreemptionTest, queues_are_named_like_qualities_of_service) {
  ASSERT_EQ(load(R"(
[policy.jobspec.defaults.system]
queue = "night"
[queues.night]
hosts = "all"
[queues.day]
hosts = "node[0-1]"
policy.scheduler = { preempt = ["night"], preempt-mode = "requeue" }
)"),
            "no error");
  std::vector<JobId> night;
  for (int i = 0; i < 16; ++i) {
    s.clock.advance(1);
    night.push_back(s.submit(spec(in("night"))));
  }
  const JobId day = s.submit(spec(in("day"), 2));
  // The youngest of those on its nodes.
  std::string preempted;
  for (const JobId id : night) {
    if (s.job(id).preempted_by == day) preempted += s.job(id).nodelist + " ";
  }
  EXPECT_EQ(preempted, "node1 node1 ");
}

TEST_F(PreemptionTest, a_job_that_a_limit_holds_back_preempts_nobody) {
  // Nor does the second of a user who may run one while the first waits for what is preempted for it.
  ASSERT_EQ(load(std::string{kStandby} + R"(
[qos.normal]
limits = { max-running-jobs = 1 }
)"),
            "no error");
  const JobId a = submit_standby(8), b = submit_standby(8);
  const JobId first = s.submit(4), second = s.submit(12);
  EXPECT_EQ(s.job(b).preempted_by, first);
  EXPECT_EQ(s.job(a).preemption, job::Preemption::none);
  obey(b);
  EXPECT_EQ(s.states({first, second}), "R S");
  EXPECT_EQ(s.job(a).preemption, job::Preemption::none);
  s.cancel(second);
}

TEST_F(PreemptionTest, several_jobs_of_a_class_preempt_one_each) {
  // Also the one that comes when the first already waits.
  ASSERT_EQ(load(kStandby), "no error");
  std::vector<JobId> victims;
  for (int i = 0; i < 4; ++i) victims.push_back(submit_standby(4));
  const JobId first = s.submit(4), second = s.submit(4);
  std::size_t preempted = 0;
  for (const JobId id : victims)
    preempted += s.job(id).preempted_by == first || s.job(id).preempted_by == second;
  EXPECT_EQ(preempted, 2U);
}

TEST_F(PreemptionTest, nobody_is_preempted_twice_within_a_minute) {
  // The one that asks waits until then, and no longer.
  ASSERT_EQ(load(R"(
[policy.scheduler]
preempt = ["standby"]
)"),
            "no error");
  const JobId victim = submit_standby(16);
  const JobId first = s.submit(16);
  s.finish(victim, 15);
  s.finish(first);
  later(1);
  ASSERT_EQ(s.states({victim}), "R");
  const JobId second = s.submit(16);
  EXPECT_EQ(s.states({victim, second}), "R S");
  // A timer is set for it, though nothing is free.
  manager::query(s.session, [&](const store::Reader& reader) {
    EXPECT_TRUE(manager::period_timer(reader).has_value());
  });
  later(58);
  EXPECT_EQ(s.states({victim, second}), "R S");
  later(1.001);
  EXPECT_EQ(s.states({victim, second}), "C S");
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

TEST_F(PreemptionTest, names_are_those_of_queues_and_qualities_of_service) {
  EXPECT_EQ(
      load("policy.scheduler = { preempt = [\"stanby\"] }"),
      "fq.toml:1: policy.scheduler.preempt: there is no quality of service and no queue 'stanby' (did you "
      "mean 'standby'?)");
  EXPECT_EQ(load("[qos.low]\npreempt = [\"hihg\"]\n[qos.high]\n"),
            "fq.toml:2: qos.low.preempt: there is no quality of service and no queue 'hihg' (did you mean "
            "'high'?)");
  EXPECT_EQ(
      load("policy.scheduler = { preempt-mode = \"requeu\" }"),
      "fq.toml:1: policy.scheduler: unknown preempt mode 'requeu': expected one of requeue, cancel (did you "
      "mean 'requeue'?)");
  EXPECT_EQ(load("policy.scheduler = { preempt-grace = \"inf\" }"),
            "fq.toml:1: policy.scheduler: preempt-grace: expected a duration that ends");
}

TEST_F(PreemptionTest, in_a_simulated_day_nobody_is_preempted_twice_within_a_minute) {
  // Standby jobs fill the machine, urgent ones come all day; each job comes to its end.
  ASSERT_EQ(load(R"(
[policy.scheduler]
preempt = ["standby"]
preempt-grace = "20s"
)"),
            "no error");
  std::mt19937 random(7);
  const auto between = [&](int low, int high) { return std::uniform_int_distribution<>(low, high)(random); };
  const double begin = s.clock.now(), day = 24 * 3600;
  std::map<JobId, double> ends;  // of running jobs, when they end by themselves
  std::map<JobId, double> lasts;
  std::vector<JobId> all;
  double next_urgent = begin, next_standby = begin;
  const auto started = [&] {
    for (const auto& [id, shell] : s.launcher.shells) {
      if (!ends.contains(id)) ends[id] = s.clock.now() + lasts.at(id);
    }
  };
  const auto submit = [&](bool standby, double seconds, std::uint32_t slots) {
    const JobId id = s.submit(
        spec(fmt::format(R"("duration":{}{})", seconds * 2, standby ? R"(,"qos":"standby")" : ""), slots));
    lasts[id] = seconds;
    all.push_back(id);
  };
  while (s.clock.now() < begin + day || !s.launcher.shells.empty()) {
    const bool open = s.clock.now() < begin + day;
    if (open && s.clock.now() >= next_standby) {
      submit(true, between(600, 4000), static_cast<std::uint32_t>(between(1, 8)));
      next_standby = s.clock.now() + between(300, 1200);
    }
    if (open && s.clock.now() >= next_urgent) {
      submit(false, between(30, 900), static_cast<std::uint32_t>(between(2, 12)));
      next_urgent = s.clock.now() + between(60, 1500);
    }
    started();
    std::vector<std::pair<JobId, int>> over;
    for (const auto& [id, shell] : s.launcher.shells) {
      if (ended(id)) {
        over.emplace_back(id, 15);
      } else if (s.clock.now() >= ends.at(id)) {
        over.emplace_back(id, 0);
      }
    }
    for (const auto& [id, status] : over) {
      s.finish(id, status);
      ends.erase(id);
    }
    started();
    // On to what comes next: a job, an end, or what is due while one is preempted.
    double next = s.clock.now() + 600;
    if (open) next = std::min({next, next_urgent, next_standby});
    for (const auto& [id, end] : ends) next = std::min(next, warned(id) ? s.clock.now() + 20 : end);
    later(std::max(next - s.clock.now(), 1.0));
  }
  std::size_t preemptions = 0;
  for (const JobId id : all) {
    double last = 0;
    for (const document::Event& event : document::decode_eventlog(s.document(id, "eventlog"))) {
      if (event.name != "preempt") continue;
      ++preemptions;
      EXPECT_GE(event.timestamp - last, 60) << s.events(id);
      last = event.timestamp;
    }
    EXPECT_EQ(s.states({id}), "CD") << s.events(id);
  }
  EXPECT_GT(preemptions, 10U);
}

}  // namespace
}  // namespace fq::test
