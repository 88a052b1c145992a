// What named queues give to jobs, and what they refuse.

#include "manager/core/access.h"
#include "manager/core/queues_fixture.h"

namespace fq::test {
namespace {

using Admission = QueuesTest;

TEST_F(Admission, R33_8_R33_9_R33_10_R33_11_R33_24_defaults_fill_what_is_not_set) {
  // As one event; the jobspec stays as it was submitted.
  load(kBatchAndDebug);
  const std::string text = spec("");
  const JobId plain = s.submit(text);
  EXPECT_EQ(s.events(plain), "submit jobspec-update validate depend priority alloc start");
  EXPECT_EQ(
      updates(plain),
      R"({"attributes.system.constraints":{"properties":["+batch"]},"attributes.system.duration":3600.0,)"
      R"("attributes.system.queue":"batch"})");
  EXPECT_EQ(s.document(plain, "jobspec"), text);
  EXPECT_EQ(s.job(plain).queue, "batch");
  EXPECT_EQ(s.job(plain).duration, 3600);
  const JobId own = s.submit(spec(R"("duration":60)"));
  EXPECT_EQ(s.job(own).duration, 60);
  const JobId named = s.submit(spec(in("debug")));
  EXPECT_EQ(s.job(named).duration, 600);
  EXPECT_EQ(s.job(named).nodelist, "node2");
}

TEST_F(Admission, R33_22_constraints_are_joined_with_and) {
  // Whatever the job had.
  load(kBatchAndDebug);
  const JobId id = s.submit(spec(in("debug") + R"(,"constraints":{"hostlist":["node3"]})"));
  EXPECT_EQ(s.job(id).constraint, R"({"and":[{"hostlist":["node3"]},{"hostlist":["node[2-3]"]}]})");
  EXPECT_EQ(s.job(id).nodelist, "node3");
  EXPECT_EQ(refusal(in("debug") + R"(,"constraints":{"hostlist":["node0"]})").substr(0, 23),
            "unsatisfiable request: ");
}

TEST_F(Admission, R33_12_to_R33_16_limits) {
  // R33.12 R33.13 R33.14 R33.15 R33.16 R33.26: each names the request, the limit and the queue.
  load(R"(
policy.jobspec.defaults.system.queue = "a"
[queues.a.policy.limits]
duration = "1h"
job-size.max = { nnodes = 2, ncores = 6 }
job-size.min = { nnodes = 1, ncores = 2 }
[queues.b.policy]
limits.job-size = { min.nnodes = 2, max.ngpus = 0 }
)");
  EXPECT_EQ(refusal(R"("duration":3601)", 2), "queue 'a': duration 1.00028h requested, at most 1h allowed");
  EXPECT_EQ(refusal("", 2), "queue 'a': no time limit requested, at most 1h allowed");
  EXPECT_EQ(refusal(R"("duration":60)", 1), "queue 'a': 1 core requested, at least 2 needed");
  EXPECT_EQ(refusal(R"("duration":60)", 7), "queue 'a': 7 cores requested, at most 6 allowed");
  EXPECT_EQ(refusal(R"("duration":60)", 9), "queue 'a': 3 nodes requested, at most 2 allowed");
  EXPECT_EQ(refusal(in("b"), 4), "queue 'b': 1 node requested, at least 2 needed");
  EXPECT_EQ(refusal(in("b"), 5), "no error");
  EXPECT_EQ(refusal(R"("duration":3600)", 6), "no error");
}

TEST_F(Admission, PRIO_13_standby_has_no_limits_and_comes_last) {
  // Neither of size nor of time; any user's, and whatever its urgency, all others are served before it.
  load("policy.limits = { duration = \"1h\", job-size.max.ncores = 1 }\n");
  EXPECT_EQ(refusal("", 2), "no time limit requested, at most 1h allowed");
  const JobId id = s.submit(spec(R"("job":{"name":"x"},"qos":"standby")", 2));
  EXPECT_EQ(s.states({id}), "R");
  EXPECT_EQ(update(id, R"({"attributes.system.duration":7200.0})"), "");
  load("");
  const JobId fills = s.submit(spec("", 14));
  const auto as_other = [&](const std::string& system, std::uint8_t urgency) {
    s.session.caller = {s.session.caller.uid + 1000, 1};
    const JobId submitted = s.submit(spec(system, 16), urgency);
    s.session.caller = manager::Credential::of_process();
    return submitted;
  };
  const JobId standby = as_other(R"("qos":"standby")", 16), normal = as_other("", 16), low = as_other("", 1),
              held = as_other(R"("qos":"standby")", 0);
  std::string priorities;
  for (const JobId each : {standby, normal, low, held})
    priorities += fmt::format("{} ", s.job(each).priority);
  EXPECT_EQ(priorities, "1 16 2 0 ");
  s.finish(id);
  s.finish(fills);
  EXPECT_EQ(s.states({normal, low, standby}), "R S S");
  s.finish(normal);
  EXPECT_EQ(s.states({low, standby}), "R S");
  EXPECT_EQ(update(standby, R"({"attributes.system.qos":"normal"})"), "");
  EXPECT_EQ(s.job(standby).priority, 16U);
  s.cancel(standby);
  s.cancel(held);
}

TEST_F(Admission, expedite_is_the_owners_to_give) {
  // At submission and later; others' jobs that the owner gave it keep it.
  const std::string expedite = R"("qos":"expedite")", updated = R"({"attributes.system.qos":"expedite"})";
  EXPECT_EQ(refusal(expedite), "no error");
  const auto become_other = [&] { s.session.caller = {s.session.caller.uid + 1000, 1}; };
  become_other();
  EXPECT_EQ(refusal(expedite), "QoS 'expedite' is reserved for the owner");
  const JobId id = s.submit(spec("", 16), 0);
  EXPECT_EQ(update(id, updated), "QoS 'expedite' is reserved for the owner");
  EXPECT_EQ(s.job(id).qos, "");
  s.session.caller = manager::Credential::of_process();
  EXPECT_EQ(update(id, updated), "");
  EXPECT_EQ(s.job(id).qos, "expedite");
  s.cancel(id);
}

TEST_F(Admission, R33_26_limits_hold_at_updates_too) {
  // Of jobs that wait and of those that run.
  load(R"(
policy.jobspec.defaults.system.queue = "a"
[queues.a.policy.limits]
duration = "1h"
)");
  const JobId runs = s.submit(spec(R"("duration":60)", 16)), waits = s.submit(spec(R"("duration":60)"));
  EXPECT_EQ(s.states({runs, waits}), "R S");
  for (const JobId id : {runs, waits}) {
    EXPECT_EQ(update(id, R"({"attributes.system.duration":7200.0})"),
              "queue 'a': duration 2h requested, at most 1h allowed");
    EXPECT_EQ(update(id, R"({"attributes.system.duration":3000.0})"), "");
  }
  EXPECT_EQ(s.job(runs).expiration, s.job(runs).t_run + 3000);
}

TEST_F(Admission, R33_23_R33_25_queues_by_name) {
  // Unknown ones are refused with a near match; without configuration there are none.
  EXPECT_EQ(refusal(in("debug")), "queue 'debug' does not exist: no queues are configured");
  load(kBatchAndDebug);
  EXPECT_EQ(refusal(in("debg")), "queue 'debg' does not exist (did you mean 'debug'?)");
  EXPECT_EQ(refusal(in("x")), "queue 'x' does not exist (one of batch, debug)");
}

TEST_F(Admission, R33_18_R33_19_R33_27_access_by_user_and_group) {
  // Either list is enough; the names come from the system, here from the test.
  const auto as = [&](const std::string& user, const std::vector<std::string>& groups) {
    s.session.caller.names = std::make_shared<const process::Names>(process::Names{user, groups});
  };
  load(R"(
policy.jobspec.defaults.system.queue = "open"
[queues.open]
[queues.staff.policy.access]
allow-user = ["ada"]
allow-group = ["staff"]
)");
  as("bob", {"users"});
  EXPECT_EQ(refusal(in("staff")), "user 'bob' may not use queue 'staff'");
  EXPECT_EQ(refusal(in("open")), "no error");
  as("ada", {"users"});
  EXPECT_EQ(refusal(in("staff")), "no error");
  as("bob", {"users", "staff"});
  const JobId id = s.submit(spec(in("staff") + R"(,"duration":60)", 16));
  const JobId moved = s.submit(spec(in("open"), 16));
  EXPECT_EQ(s.states({id, moved}), "S S");
  as("bob", {"users"});
  EXPECT_EQ(update(moved, R"({"attributes.system.queue":"staff"})"), "user 'bob' may not use queue 'staff'");
  EXPECT_EQ(update(id, R"({"attributes.system.duration":30.0})"), "");  // it is in there already
  s.cancel(id);
  s.cancel(moved);
}

TEST_F(Admission, R33_19_names_are_looked_up_where_a_policy_asks_for_them) {
  // Those of this process: its user is in its own group.
  const process::Names names = process::look_up_names(::getuid(), ::getgid());
  ASSERT_FALSE(names.groups.empty());
  load(fmt::format("policy.access.allow-group = [\"{}\"]\n", names.groups.back()));
  EXPECT_EQ(refusal(""), "no error");
  load("policy.access.allow-user = [\"nobody-of-that-name\"]\n");
  EXPECT_EQ(refusal(""), fmt::format("user '{}' may not submit jobs", names.user));
  load(fmt::format("policy.access.allow-user = [\"{}\"]\n", names.user));
  EXPECT_EQ(refusal(""), "no error");
  EXPECT_EQ(process::look_up_names(4294967294, 4294967293).user, "4294967294");
}
}  // namespace
}  // namespace fq::test
