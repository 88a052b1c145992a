// Which jobs are preempted, for which others, and how often.

#include <map>
#include <random>

#include <gtest/gtest.h>

#include "manager/pass/period_timer.h"
#include "manager/pass/preemption.h"
#include "manager/pass/preemption_fixture.h"

namespace fq::test {
namespace {

using notation::JobId;

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

TEST_F(PreemptionTest, in_simulated_hours_nobody_is_preempted_twice_within_a_minute) {
  // Standby jobs fill the machine, urgent ones come all the time; each job comes to its end.
  ASSERT_EQ(load(R"(
[policy.scheduler]
preempt = ["standby"]
preempt-grace = "20s"
)"),
            "no error");
  std::mt19937 random(7);
  const auto between = [&](int low, int high) { return std::uniform_int_distribution<>(low, high)(random); };
  const double begin = s.clock.now(), open_for = 8 * 3600;
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
  while (s.clock.now() < begin + open_for || !s.launcher.shells.empty()) {
    const bool open = s.clock.now() < begin + open_for;
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
