// What orders jobs while time goes on: schemes, waits, and who may use which quality of service.

#include <nlohmann/json.hpp>

#include "manager/core/queues_fixture.h"
#include "manager/look/priority_overview.h"
#include "manager/pass/period_timer.h"

namespace fq::test {
namespace {

class Priorities : public QueuesTest {
 protected:
  // What listings and `fq priority` say of those that wait, in order.
  std::vector<manager::PriorityRow> rows() { return manager::priority_rows(s.session, {}); }
  bool has_period_timer() {
    bool found = false;
    manager::query(s.session,
                   [&](const store::Reader& reader) { found = manager::period_timer(reader).has_value(); });
    return found;
  }
};

TEST_F(Priorities, PRIO_18_time_alone_changes_who_is_first_at_the_next_boundary) {
  // Waits count for 100 s: the job that came first and wants more than is free stands still after that, and
  // the later one, of more urgency, overtakes it and starts.
  load(R"([policy]
scheduler.name = "fcfs"
[policy.priority]
scheme = "multifactor"
max-wait = "100s"
period = "30s"
weights = { wait-time = 1000, fair-share = 0, qos = 0, queue = 0, user = 500 }
)");
  const JobId fills = s.submit(spec("", 15));
  const JobId large = s.submit(spec("", 4), 1);
  s.clock.advance(60);
  const JobId later = s.submit(spec("", 1));
  EXPECT_EQ(s.states({fills, large, later}), "R S S");
  EXPECT_TRUE(has_period_timer());
  s.clock.advance(30);
  s.tick();
  EXPECT_EQ(s.states({large, later}), "S S");
  s.clock.advance(70);
  s.tick();
  EXPECT_EQ(s.states({large, later}), "S R");
  // Nothing is free now that could be given in another order.
  EXPECT_FALSE(has_period_timer());
  s.cancel(large);
}

TEST_F(Priorities, nothing_waits_for_a_boundary_under_schemes_that_stand_still) {
  load("[policy]\nscheduler.name = 'fcfs'\n");
  s.submit(spec("", 15));
  const JobId large = s.submit(spec("", 4));
  EXPECT_FALSE(has_period_timer());
  s.cancel(large);
}

TEST_F(Priorities, jobs_start_in_the_order_that_is_shown) {
  // One at a time, whatever their factors are.
  load(R"([policy.priority]
scheme = "multifactor"
favor = "small"
weights = { job-size = 7000, qos = 900, user = 800 }
)");
  const JobId fills = s.submit(spec("", 16));
  std::vector<JobId> jobs;
  for (std::uint32_t i = 0; i < 12; ++i) {
    const std::string system = i % 3 == 0 ? R"("qos":"standby")" : i % 3 == 1 ? R"("qos":"expedite")" : "";
    jobs.push_back(s.submit(spec(system + (system.empty() ? "" : ",") + R"("duration":60)", 9 + i % 4),
                            static_cast<std::uint8_t>(1 + (i * 5) % 16)));
    s.clock.advance(1);
  }
  std::vector<JobId> shown;
  std::uint32_t last = job::kPriorityMax;
  for (const manager::PriorityRow& row : rows()) {
    EXPECT_LE(row.explanation.priority, last);
    EXPECT_EQ(row.place, shown.size() + 1);
    last = row.explanation.priority;
    shown.push_back(row.job.id);
  }
  ASSERT_EQ(shown.size(), jobs.size());
  JobId running = fills;
  for (const JobId id : shown) {
    s.finish(running);
    EXPECT_EQ(s.states({id}), "R");
    running = id;
  }
}

// Two queues on the same nodes with schemes that cannot be compared, and a scheduler of its own each.
constexpr const char* kTwoSchemes = R"(
policy.jobspec.defaults.system.queue = "first"
[queues.first]
hosts = "all"
policy.scheduler.name = "fcfs"
policy.priority.scheme = "fcfs"
[queues.weighed]
hosts = "all"
policy.scheduler.name = "easy"
policy.priority = { scheme = "multifactor", weights = { fair-share = 0, user = 1000 } }
)";

TEST_F(Priorities, R33_41_R33_5_queues_with_schemes_of_their_own_take_turns_on_the_nodes_they_share) {
  load(kTwoSchemes);
  // Whole machines, one at a time: whoever started a job longest ago comes next, in each queue by its order.
  const auto in_queue = [&](const char* queue, std::uint8_t urgency = 16) {
    return s.submit(spec(in(queue), 16), urgency);
  };
  JobId running = in_queue("first");
  const std::vector<JobId> first{in_queue("first"), in_queue("first"), in_queue("first")};
  const std::vector<JobId> weighed{in_queue("weighed", 3), in_queue("weighed", 9), in_queue("weighed", 16)};
  // The same order is shown.
  const std::vector<JobId> expected{first[0], weighed[2], first[1], weighed[1], first[2], weighed[0]};
  std::vector<JobId> shown;
  for (const manager::PriorityRow& row : rows()) shown.push_back(row.job.id);
  EXPECT_EQ(shown, expected);
  for (const JobId next : expected) {
    s.finish(running);
    EXPECT_EQ(s.states({next}), "R");
    running = next;
  }
}

TEST_F(Priorities, expedited_jobs_come_before_all_streams_and_held_ones_behind) {
  load(kTwoSchemes);
  const JobId fills = s.submit(spec(in("first"), 16));
  const JobId held = s.submit(spec(in("first"), 16), 0);
  const JobId plain = s.submit(spec(in("first"), 16));
  const JobId weighed = s.submit(spec(in("weighed"), 16));
  const JobId expedited = s.submit(spec(in("first"), 16), 31);
  std::vector<JobId> shown;
  for (const manager::PriorityRow& row : rows()) shown.push_back(row.job.id);
  EXPECT_EQ(shown, (std::vector<JobId>{expedited, plain, weighed, held}));
  s.finish(fills);
  EXPECT_EQ(s.states({expedited, weighed, plain, held}), "R S S S");
  for (const JobId id : {plain, weighed, held}) s.cancel(id);
}

TEST_F(Priorities, PRIO_12_an_expedited_quality_is_granted_to_users_and_groups) {
  load("[qos.expedite]\nallow-user = ['ada']\n[qos.urgent]\nallow-group = ['physics']\n");
  const auto as = [&](const std::string& user, const std::string& group, const std::string& qos) {
    const process::Names names{user, {group}};
    s.session.caller = {s.session.caller.uid + 1000, 1, std::make_shared<const process::Names>(names)};
    std::string text = refusal(fmt::format(R"("qos":"{}")", qos));
    s.session.caller = manager::Credential::of_process();
    return text;
  };
  EXPECT_EQ(as("ada", "users", "expedite"), "no error");
  EXPECT_EQ(as("bob", "users", "expedite"), "user 'bob' may not use QoS 'expedite'");
  EXPECT_EQ(as("bob", "physics", "urgent"), "no error");
  EXPECT_EQ(as("ada", "users", "urgent"), "user 'ada' may not use QoS 'urgent'");
  EXPECT_EQ(as("bob", "users", "standby"), "no error");
}

TEST_F(Priorities, what_the_factors_added_is_kept_with_the_allocation) {
  load("[policy.priority]\nscheme = 'multifactor'\nweights = { wait-time = 0, user = 3000 }\n");
  const JobId id = s.submit(spec(""));
  EXPECT_EQ(
      nlohmann::json::parse(s.job(id).annotations).at("priority").dump(),
      R"({"fair_share":100000.0,"job_size":0.0,"qos":5000.0,"queue":5000.0,"sum":111600.0,"user":1600.0,)"
      R"("wait_time":0.0})");
}

}  // namespace
}  // namespace fq::test
