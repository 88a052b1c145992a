// Named queues: what they give to jobs, what they refuse, in which order they are served, and what becomes of
// jobs when the configuration changes.

#include <gtest/gtest.h>

#include "manager/access.h"
#include "manager/configure.h"
#include "manager/query.h"
#include "manager/queue_admin.h"
#include "manager/update.h"
#include "support/error_text.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

using document::ConfigSource;
using notation::JobId;
using Verb = manager::QueueRequest::Verb;

// Four nodes with 4 cores each.
class Queues : public testing::Test {
 protected:
  ~Queues() override {
    while (!s.launcher.shells.empty()) s.finish(s.launcher.shells.begin()->first);
  }

  std::string load(const std::string& text, bool force = false) {
    return error_text([&] {
      manager::load_config(s.session, ConfigSource({ConfigSource::File{"fq.toml", text}}), force);
      return 0;
    });
  }
  static std::string spec(const std::string& system, std::uint32_t slots = 1) {
    return Scenario::jobspec(slots, 1, system);
  }
  static std::string in(const std::string& queue) { return fmt::format(R"("queue":"{}")", queue); }
  std::string refusal(const std::string& system, std::uint32_t slots = 1) {
    return error_text([&] { return s.submit(spec(system, slots)); });
  }
  // The context of the job's jobspec-update events.
  std::string updates(JobId id) {
    std::string out;
    for (const document::Event& event : document::decode_eventlog(s.document(id, "eventlog"))) {
      if (event.name == "jobspec-update") out += (out.empty() ? "" : " ") + event.context.dump();
    }
    return out;
  }
  std::string update(JobId id, const std::string& what) {
    manager::UpdateRequest request;
    request.ids = {id};
    request.updates = what;
    const auto reply = manager::update_jobs(s.session, request);
    return reply.refusals.empty() ? "" : reply.refusals.at(0).why.what();
  }
  std::string why(JobId id) {
    std::string out;
    manager::query(s.session, [&](const store::Reader& reader) {
      out.clear();
      for (const std::string& reason : manager::why(reader, id)) out += (out.empty() ? "" : "; ") + reason;
    });
    return out;
  }
  void set(Verb verb, const std::string& queue, const std::string& reason = {}) {
    static_cast<void>(manager::set_queue(s.session, {verb, queue, reason}));
  }

  Scenario s{4, 4};
};

constexpr const char* kBatchAndDebug = R"(
[policy]
jobspec.defaults.system = { queue = "batch", duration = "1h" }
[queues.batch]
hosts = "node[0-2]"
[queues.debug]
requires = { hostlist = ["node[2-3]"] }
policy.jobspec.defaults.system.duration = "10m"
)";

TEST_F(Queues, R33_8_R33_9_R33_10_R33_11_R33_24_defaults_fill_what_is_not_set) {
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

TEST_F(Queues, R33_22_constraints_are_joined_with_and) {
  // Whatever the job had.
  load(kBatchAndDebug);
  const JobId id = s.submit(spec(in("debug") + R"(,"constraints":{"hostlist":["node3"]})"));
  EXPECT_EQ(s.job(id).constraint, R"({"and":[{"hostlist":["node3"]},{"hostlist":["node[2-3]"]}]})");
  EXPECT_EQ(s.job(id).nodelist, "node3");
  EXPECT_EQ(refusal(in("debug") + R"(,"constraints":{"hostlist":["node0"]})").substr(0, 23),
            "unsatisfiable request: ");
}

TEST_F(Queues, R33_12_to_R33_16_limits) {
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

TEST_F(Queues, PRIO_13_standby_has_no_limits) {
  // Neither of size nor of time.
  load("policy.limits = { duration = \"1h\", job-size.max.ncores = 1 }\n");
  EXPECT_EQ(refusal("", 2), "no time limit requested, at most 1h allowed");
  const JobId id = s.submit(spec(R"("job":{"name":"x"},"qos":"standby")", 2));
  EXPECT_EQ(s.states({id}), "R");
  EXPECT_EQ(update(id, R"({"attributes.system.duration":7200.0})"), "");
}

TEST_F(Queues, R33_26_limits_hold_at_updates_too) {
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

TEST_F(Queues, R33_23_R33_25_queues_by_name) {
  // Unknown ones are refused with a near match; without configuration there are none.
  EXPECT_EQ(refusal(in("debug")), "queue 'debug' does not exist: no queues are configured");
  load(kBatchAndDebug);
  EXPECT_EQ(refusal(in("debg")), "queue 'debg' does not exist (did you mean 'debug'?)");
  EXPECT_EQ(refusal(in("x")), "queue 'x' does not exist (one of batch, debug)");
}

TEST_F(Queues, R33_18_R33_19_R33_20_R33_27_access_by_user_and_group) {
  // Either list is enough; the names come from the system, here from the test.
  const auto as = [&](const std::string& user, const std::vector<std::string>& groups) {
    s.session.caller.names = std::make_shared<const manager::Names>(manager::Names{user, groups});
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

TEST_F(Queues, R33_19_names_are_looked_up_where_a_policy_asks_for_them) {
  // Those of this process: its user is in its own group.
  const manager::Names names = manager::look_up_names(manager::Credential::of_process());
  ASSERT_FALSE(names.groups.empty());
  load(fmt::format("policy.access.allow-group = [\"{}\"]\n", names.groups.back()));
  EXPECT_EQ(refusal(""), "no error");
  load("policy.access.allow-user = [\"nobody-of-that-name\"]\n");
  EXPECT_EQ(refusal(""), fmt::format("user '{}' may not submit jobs", names.user));
  load(fmt::format("policy.access.allow-user = [\"{}\"]\n", names.user));
  EXPECT_EQ(refusal(""), "no error");
  EXPECT_EQ(manager::look_up_names({4294967294, 4294967293}).user, "4294967294");
}

TEST_F(Queues, R33_38_disjoint_queues_do_not_wait_for_each_other) {
  // The head of one blocks its own queue only.
  load(R"(
policy.jobspec.defaults.system.queue = "a"
queues.a.hosts = "node[0-1]"
queues.b.hosts = "node[2-3]"
)");
  const JobId a = s.submit(spec("", 8)), blocked = s.submit(spec("", 8)), behind = s.submit(spec(""));
  const JobId b = s.submit(spec(in("b"), 8));
  EXPECT_EQ(s.states({a, blocked, behind, b}), "R S S R");
  s.cancel(blocked);
  s.cancel(behind);
}

TEST_F(Queues, R33_38_overlapping_queues_are_served_in_one_order) {
  // First come, first served, across both; with tiers the higher one first.
  const std::string overlapping = R"(
policy.jobspec.defaults.system.queue = "batch"
queues.batch.hosts = "node[0-2]"
queues.debug.hosts = "node[2-3]"
)";
  load(overlapping);
  const JobId first = s.submit(spec("", 12));
  const JobId batch = s.submit(spec("", 12)), debug = s.submit(spec(in("debug"), 1));
  EXPECT_EQ(s.states({first, batch, debug}), "R S S");
  load(overlapping + "queues.debug.policy.scheduler.tier = 1\n");
  EXPECT_EQ(s.states({first, batch, debug}), "R S R");
  s.cancel(batch);
}

TEST_F(Queues, virtual_queues_are_served_with_their_parent) {
  // One order, own names; both must be started.
  load(R"(
policy.jobspec.defaults.system = { queue = "batch", duration = "1h" }
policy.limits.duration = "1h"
queues.batch.hosts = "node0"
queues.long.parent = "batch"
queues.long.policy.limits.duration = "0"
)");
  EXPECT_EQ(refusal(R"("duration":7200)", 4), "queue 'batch': duration 2h requested, at most 1h allowed");
  const JobId running = s.submit(spec("", 4));
  const JobId first = s.submit(spec(in("long") + R"(,"duration":7200)", 4)), second = s.submit(spec("", 4));
  EXPECT_EQ(s.job(first).queue, "long");
  EXPECT_EQ(s.job(first).constraint, R"({"properties":["+batch"]})");
  EXPECT_EQ(why(second), "1 job comes before it in the queue");
  set(Verb::stop, "batch", "noon");
  EXPECT_EQ(why(first), "queue 'batch' is stopped: noon; it is the next job in the queue");
  s.finish(running);
  EXPECT_EQ(s.states({first, second}), "S S");
  set(Verb::stop, "long");
  set(Verb::start, "batch");
  EXPECT_EQ(s.states({first, second}), "S R");
  set(Verb::start, "long");
  s.finish(second);
  EXPECT_EQ(s.states({first}), "R");
}

TEST_F(Queues, R33_29_R33_30_a_stopped_queue_starts_nothing_and_takes_back_what_was_said) {
  // Of that queue alone; disabled ones refuse with their reason.
  load(R"(
policy.jobspec.defaults.system.queue = "a"
queues.a.hosts = "node[0-1]"
queues.b.hosts = "node[2-3]"
)");
  s.submit(spec("", 8));
  s.submit(spec(in("b"), 8));
  const JobId a = s.submit(spec("", 8)), b = s.submit(spec(in("b"), 8));
  EXPECT_EQ(why(a), "it is the next job in the queue; 8 cores requested, 0 free");
  set(Verb::stop, "a");
  EXPECT_EQ(why(a), "queue 'a' is stopped; it is the next job in the queue");
  EXPECT_EQ(why(b), "it is the next job in the queue; 8 cores requested, 0 free");
  set(Verb::disable, "b", "broken");
  EXPECT_EQ(refusal(in("b")), "job submission to queue 'b' is disabled: broken");
  EXPECT_EQ(refusal(""), "no error");
  EXPECT_EQ(update(a, R"({"attributes.system.queue":"b"})"),
            "job submission to queue 'b' is disabled: broken");
  EXPECT_EQ(error_text([&] {
              set(Verb::stop, "");
              return 0;
            }),
            "which queue? name one, or give --all");
  static_cast<void>(manager::set_queue(s.session, {Verb::enable, "", "", true}));
  static_cast<void>(manager::set_queue(s.session, {Verb::start, "", "", true}));
  EXPECT_EQ(refusal(in("b")), "no error");
  manager::RaiseRequest all;
  all.selection.emplace();
  static_cast<void>(manager::raise(s.session, all));
}

TEST_F(Queues, a_job_is_moved_and_gets_what_its_new_queue_gives) {
  // The constraints and the duration of the old one go; what its user asked for stays.
  load(kBatchAndDebug);
  set(Verb::stop, "batch");
  set(Verb::stop, "debug");
  const JobId plain = s.submit(spec(""));
  const JobId own = s.submit(spec(R"("duration":60,"constraints":{"hostlist":["node2"]})"));
  for (const JobId id : {plain, own}) EXPECT_EQ(update(id, R"({"attributes.system.queue":"debug"})"), "");
  EXPECT_EQ(s.job(plain).constraint, R"({"hostlist":["node[2-3]"]})");
  EXPECT_EQ(s.job(plain).duration, 600);
  EXPECT_EQ(s.job(own).constraint, R"({"and":[{"hostlist":["node2"]},{"hostlist":["node[2-3]"]}]})");
  EXPECT_EQ(s.job(own).duration, 60);
  EXPECT_EQ(update(plain, R"({"attributes.system.constraints":{"hostlist":["node3"]}})"), "");
  EXPECT_EQ(s.job(plain).constraint, R"({"and":[{"hostlist":["node3"]},{"hostlist":["node[2-3]"]}]})");
  EXPECT_EQ(update(plain, R"({"attributes.system.queue":"batch"})"),
            "unsatisfiable request: no node matches the constraint 'host:node3 and queue:batch'");
  EXPECT_EQ(update(plain, R"({"attributes.system.queue":"batch","attributes.system.constraints":{}})"), "");
  EXPECT_EQ(s.job(plain).constraint, R"({"properties":["+batch"]})");
  EXPECT_EQ(s.job(plain).duration, 3600);
  const std::string before = updates(plain);
  EXPECT_EQ(update(plain, R"({"attributes.system.job.name":"new"})"), "");
  EXPECT_EQ(updates(plain), before + R"( {"attributes.system.job.name":"new"})");
  for (const JobId id : {plain, own}) s.cancel(id);
}

TEST_F(Queues, jobs_of_a_queue_that_is_gone_wait) {
  // Only where that is asked for; they start when it is back, or when they are moved.
  load(kBatchAndDebug);
  const JobId running = s.submit(spec("", 12)), waits = s.submit(spec("", 12)),
              moved = s.submit(spec("", 12));
  const std::string only_debug = "queues.debug.hosts = \"all\"\n";
  EXPECT_EQ(load(only_debug),
            "queue 'batch' would be gone, and 2 jobs wait in it "
            "(--force lets them wait until it is back or they are moved: fq update ID queue=NAME)");
  EXPECT_EQ(s.events(waits), "submit jobspec-update validate depend priority");
  EXPECT_EQ(load(only_debug, true), "no error");
  s.finish(running);
  EXPECT_EQ(s.states({waits, moved}), "S S");
  EXPECT_EQ(why(waits), "queue 'batch' does not exist");
  EXPECT_EQ(s.job(waits).urgency, job::kUrgencyDefault);
  EXPECT_EQ(update(waits, R"({"attributes.system.job.name":"patient"})"), "");
  EXPECT_EQ(update(moved, R"({"attributes.system.queue":"debug"})"), "");
  EXPECT_EQ(s.states({waits, moved}), "S R");
  s.finish(moved);
  EXPECT_EQ(load(kBatchAndDebug), "no error");
  EXPECT_EQ(s.states({waits}), "R");
}

TEST_F(Queues, from_no_queues_to_some_and_back) {
  // A job of the queue without a name is one of a queue that is gone.
  const JobId first = s.submit(spec("", 16)), waits = s.submit(spec(""));
  EXPECT_EQ(load(kBatchAndDebug),
            "the queue without a name would be gone, and 1 job waits in it "
            "(--force lets them wait until it is back or they are moved: fq update ID queue=NAME)");
  EXPECT_EQ(load(kBatchAndDebug, true), "no error");
  EXPECT_EQ(why(waits), "it is in no queue, and queues are configured");
  s.finish(first);
  EXPECT_EQ(s.states({waits}), "S");
  EXPECT_EQ(load("", true), "no error");
  EXPECT_EQ(s.states({waits}), "R");
}

TEST_F(Queues, queues_that_stay_keep_their_state) {
  // New ones come up enabled and started; one that was gone is new again.
  const auto text = [&] {
    std::string out;
    manager::query(s.session, [&](const store::Reader& reader) {
      out.clear();
      for (const manager::QueueStatus& queue : manager::queue_status(reader, std::nullopt)) {
        out += fmt::format("{}:{}{} ", queue.queue, queue.state.enabled ? "E" : "",
                           queue.state.started ? "S" : "");
      }
    });
    return out;
  };
  load(kBatchAndDebug);
  EXPECT_EQ(text(), "batch:ES debug:ES ");
  set(Verb::stop, "debug");
  set(Verb::disable, "batch", "x");
  load(std::string{kBatchAndDebug} + "[queues.third]\n");
  EXPECT_EQ(text(), "batch:S debug:E third:ES ");
  load("[queues.third]\n");
  load(kBatchAndDebug);
  EXPECT_EQ(text(), "batch:ES debug:ES ");
}

TEST_F(Queues, what_was_administered_is_recorded) {
  // Loads and states, in the store's own event log.
  load("queues.a.hosts = \"all\"\n");
  set(Verb::stop, "a", "noon");
  std::string log;
  manager::query(s.session, [&](const store::Reader& reader) {
    log = reader.get(store::Family::kvs, "instance.eventlog").value_or("");
  });
  std::string events;
  for (const document::Event& event : document::decode_eventlog(log)) {
    if (event.name != "resource-define") events += event.name + event.context.dump();
  }
  EXPECT_EQ(events,
            fmt::format(R"(config-load{{"config":{{"queues":{{"a":{{"hosts":"all"}}}}}},"userid":{0}}})"
                        R"(queue-stop{{"queue":"a","reason":"noon","userid":{0}}})",
                        s.session.caller.uid));
}

TEST_F(Queues, only_the_owner_loads_and_what_is_wrong_changes_nothing) {
  // Neither for others nor for a file with a mistake.
  load(kBatchAndDebug);
  EXPECT_EQ(load("[queues.a]\nhosts = \"node9\"\n"),
            "fq.toml:2: queues.a.hosts: there is no node 'node9' (the nodes are node[0-3])");
  s.session.caller = {s.session.caller.uid + 1000, 1};
  EXPECT_EQ(load(""), "only the owner may load a configuration");
  s.session.caller = manager::Credential::of_process();
  const JobId id = s.submit(spec(""));
  EXPECT_EQ(s.job(id).queue, "batch");
}

}  // namespace
}  // namespace fq::test
