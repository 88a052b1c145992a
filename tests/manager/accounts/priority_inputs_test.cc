// What goes into the priority of a job: what it is, what is configured, and what its user and bank have used.

#include "manager/accounts/accounts_fixture.h"
#include "manager/look/priority_overview.h"
#include "manager/pass/period_timer.h"

namespace fq::test {
namespace {

class PriorityInputs : public Accounts {};

TEST_F(PriorityInputs, PRIO_19_each_thing_that_a_job_is_goes_into_its_priority) {
  // Jobs that differ from a plain one in one thing each: the factor that it is for, and no other, is another
  // one.
  add_bank("physics", 1);
  add_bank("biology", 1);
  add_user(user("ada", "physics"));
  add_user(user("ada", "biology"));
  add_user(user("bob", "physics"));
  ASSERT_EQ(load(R"([policy]
jobspec.defaults.system = { queue = "batch", duration = "1h" }
limits.duration = "2h"
scheduler.name = "fcfs"
[policy.priority]
scheme = "multifactor"
max-wait = "36500d"
weights = { job-size = 1000 }
[queues.batch]
[queues.debug]
policy.priority.queue-factor = 1.0
)"),
            "no error");
  const JobId fills = submit_as("ada", R"("bank":"physics")", 16);
  const JobId early = submit_as("bob");
  s.clock.advance(100);
  const JobId plain = submit_as("bob");
  const JobId size = submit_as("bob", {}, 9);
  const JobId of_other_user = submit_as("ada", R"("bank":"physics")");
  const JobId of_other_bank = submit_as("ada", R"("bank":"biology")");
  const JobId qos = submit_as("bob", R"("qos":"standby")");
  const JobId queue = submit_as("bob", in("debug"));
  const JobId urgency = as("bob", [&] { return s.submit(spec(""), 3); });
  const auto factors = [&](JobId id) {
    manager::PriorityRequest request;
    request.ids = {id};
    return manager::priority_rows(s.session, request).at(0).explanation.factors;
  };
  const auto differing = [&](JobId id, JobId from) {
    std::string names;
    for (const priority::FactorName& each : priority::kFactorNames) {
      if (factors(id).*each.member != factors(from).*each.member)
        names += (names.empty() ? "" : " ") + std::string{each.name};
    }
    return names;
  };
  EXPECT_EQ(differing(early, plain), "wait-time");
  EXPECT_EQ(differing(size, plain), "job-size");
  EXPECT_EQ(differing(of_other_user, plain), "fair-share");
  EXPECT_EQ(differing(of_other_bank, of_other_user), "fair-share");
  EXPECT_EQ(differing(qos, plain), "qos");
  EXPECT_EQ(differing(queue, plain), "queue");
  EXPECT_EQ(differing(urgency, plain), "user");
  // The wall time decides whether its queue takes it.
  EXPECT_EQ(refusal_as("bob", R"("duration":10800)"),
            "queue 'batch': duration 3h requested, at most 2h allowed");
  for (const JobId id : {early, plain, size, of_other_user, of_other_bank, qos, queue, urgency}) s.cancel(id);
  s.finish(fills);
}

TEST_F(PriorityInputs, PRIO_20_weights_usage_and_period_are_the_other_inputs) {
  add_bank("physics", 1);
  add_user(user("ada", "physics"));
  add_user(user("bob", "physics"));
  const auto weigh = [&](const char* weights) {
    ASSERT_EQ(
        load(fmt::format("[policy]\nscheduler.name = 'fcfs'\n[policy.priority]\nscheme = 'multifactor'\n"
                         "period = '30s'\nmax-wait = '1000s'\nweights = {{ {} }}\n",
                         weights)),
        "no error");
  };
  weigh("wait-time = 1000, fair-share = 1000, qos = 1000, queue = 1000, job-size = 1000, user = 1000");
  const JobId fills = submit_as("ada", {}, 12);
  s.clock.advance(100);
  const JobId waits = submit_as("ada", {}, 8);
  s.clock.advance(100);
  const auto points = [&] {
    manager::PriorityRequest request;
    request.ids = {waits};
    return manager::priority_rows(s.session, request).at(0).explanation.points;
  };
  // Each of the six weights by itself.
  const priority::Factors all = points();
  for (const priority::FactorName& each : priority::kFactorNames) {
    std::string weights;
    for (const priority::FactorName& other : priority::kFactorNames)
      weights += fmt::format("{}{} = {}", weights.empty() ? "" : ", ", other.name,
                             other.name == each.name ? 2000 : 0);
    weigh(weights.c_str());
    priority::Factors expected{};
    expected.*each.member = 2 * all.*each.member;
    EXPECT_NEAR(points().*each.member, expected.*each.member, 1e-6) << each.name;
    EXPECT_NEAR(priority::sum(points()), expected.*each.member, 1e-6) << each.name;
    EXPECT_GT(expected.*each.member, 0) << each.name;
  }
  // What the user and the bank have used.
  weigh("wait-time = 0, fair-share = 1000, qos = 0, queue = 0, user = 0");
  const double before = points().fair_share;
  manager::ManualCharge charge{"bob", "physics", {1e6}, s.clock.now()};
  EXPECT_EQ(edit([&](AccountBook& book) { book.charge(charge); }), "no error");
  EXPECT_GT(points().fair_share, before);
  // The period: at its next boundary it is computed anew, and a pass made.
  weigh("wait-time = 1000");
  const priority::Parameters parameters = manager::queue_priorities(s.session, std::nullopt).at(0).parameters;
  const double boundary = manager::next_boundary(parameters, s.clock.now());
  EXPECT_GT(boundary, s.clock.now());
  EXPECT_LE(boundary, s.clock.now() + 30);
  bool has_timer = false;
  manager::query(s.session,
                 [&](const store::Reader& reader) { has_timer = manager::period_timer(reader).has_value(); });
  EXPECT_TRUE(has_timer);
  s.cancel(waits);
  s.finish(fills);
}

}  // namespace
}  // namespace fq::test
