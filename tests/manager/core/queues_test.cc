// Named queues: in which order they are served, and what becomes of jobs when they are administered or the
// configuration changes.

#include "manager/core/queues_fixture.h"

namespace fq::test {
namespace {

using Queues = QueuesTest;

TEST_F(Queues, disjoint_queues_do_not_wait_for_each_other) {
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

TEST_F(Queues, R33_1_overlapping_queues_are_served_independently) {
  // A head that cannot start holds back its own queue and no other; a tier says who is asked first.
  const std::string overlapping = R"(
policy.jobspec.defaults.system.queue = "batch"
queues.batch.hosts = "node[0-2]"
queues.debug.hosts = "node[2-3]"
)";
  load(overlapping);
  const JobId first = s.submit(spec("", 12));
  const JobId batch = s.submit(spec("", 12)), behind = s.submit(spec("")),
              debug = s.submit(spec(in("debug"), 1)), both = s.submit(spec(in("debug"), 8));
  EXPECT_EQ(s.states({first, batch, behind, debug, both}), "R S S R S");
  EXPECT_EQ(why(both), "2 jobs come before it, in queues that share its nodes; 8 cores requested, 3 free");
  load(overlapping + "queues.debug.policy.scheduler.tier = 1\n");
  s.finish(debug);
  EXPECT_EQ(s.states({batch, behind, both}), "S S S");
  s.finish(first);
  EXPECT_EQ(s.states({batch, behind, both}), "S S R");
  s.finish(both);
  EXPECT_EQ(s.states({batch, behind}), "R S");
  s.cancel(behind);
}

TEST_F(Queues, R33_1_listings_and_why_follow_the_order_in_which_queues_that_share_nodes_are_served) {
  // By tier first, whatever the urgency; only those that may start come before others. Held jobs are last.
  load(R"(
policy.jobspec.defaults.system.queue = "batch"
queues.batch.hosts = "node[0-2]"
queues.debug.hosts = "node[2-3]"
queues.debug.policy.scheduler.tier = 1
queues.night.hosts = "node[0-2]"
)");
  const JobId batch_runs = s.submit(spec("", 12)), debug_runs = s.submit(spec(in("debug"), 4));
  const JobId batch = s.submit(spec("", 12), 31), second = s.submit(spec("")),
              debug = s.submit(spec(in("debug"), 8)), held = s.submit(spec(in("debug")), 0),
              night = s.submit(spec(in("night"), 12));
  const auto listed = [&] {
    std::string out;
    manager::query(s.session, [&](const store::Reader& reader) {
      out.clear();
      manager::JobFilter filter;
      filter.states = {job::State::sched};
      manager::visit_listed(reader, filter, [&](manager::ListedJob&& each) {
        for (const auto& [id, name] : {std::pair{batch, "batch"},
                                       {second, "second"},
                                       {debug, "debug"},
                                       {held, "held"},
                                       {night, "night"}}) {
          if (each.job.id == id) out += (out.empty() ? "" : " ") + std::string{name};
        }
        return true;
      });
    });
    return out;
  };
  EXPECT_EQ(listed(), "debug batch second night held");
  EXPECT_EQ(why(debug), "it is the next job in the queue; 8 cores requested, 0 free");
  EXPECT_EQ(why(batch), "1 job comes before it, in queues that share its nodes; 12 cores requested, 0 free");
  EXPECT_EQ(why(second),
            "2 jobs come before it, 1 of them in queues that share its nodes; 1 core requested, 0 free");
  EXPECT_EQ(why(night), "3 jobs come before it, in queues that share its nodes; 12 cores requested, 0 free");
  set(Verb::stop, "debug");
  EXPECT_EQ(listed(), "debug batch second night held");
  EXPECT_EQ(why(batch), "it is the next job in the queue; 12 cores requested, 0 free");
  EXPECT_EQ(
      why(second),
      fmt::format(
          "1 job comes before it in the queue: {} (12 cores requested, 0 free); 1 core requested, 0 free",
          batch));
  EXPECT_EQ(why(debug), "queue 'debug' is stopped; 8 cores requested, 0 free");
  set(Verb::start, "debug");
  s.finish(batch_runs);
  EXPECT_EQ(s.states({debug, batch}), "S S") << "node2 is reserved for the one that comes first";
  s.finish(debug_runs);
  EXPECT_EQ(s.states({debug, batch, second}), "R S S");
  s.finish(debug);
  EXPECT_EQ(s.states({batch, second}), "R S");
  s.finish(batch);
  EXPECT_EQ(s.states({second, night}), "R S");
  for (const JobId id : {second, night, held}) s.cancel(id);
}

TEST_F(Queues, what_a_scheduler_throws_suspends_its_queue_and_loses_nothing) {
  // As where a configuration of a later fq names one that this fq has not. Others go on; `start` and the next
  // configuration lift it.
  const std::string two = R"(
policy.jobspec.defaults.system.queue = "a"
queues.a.hosts = "node[0-1]"
queues.a-night.parent = "a"
queues.b.hosts = "node[1-2]"
)";
  const auto break_a = [&] {
    manager::transact(s.session, [&](manager::Change& change) {
      document::QueueConfig queue = change.queues().require("a");
      queue.policy.scheduler = R"({"name":"lottery"})";
      change.transaction().put(store::Family::instance, records::key::queue_config("a"),
                               document::encode_queue(queue));
      change.forget_queues();
      change.only_adds_jobs();
    });
  };
  load(two);
  const JobId running = s.submit(spec(R"("duration":60)", 1));
  break_a();
  const JobId a = s.submit(spec("")), night = s.submit(spec(in("a-night"))), b = s.submit(spec(in("b")));
  EXPECT_EQ(s.states({running, a, night, b}), "R S S R");
  const std::string failed =
      "its scheduler failed: unknown scheduler 'lottery': expected one of easy, conservative, fcfs";
  EXPECT_EQ(why(a), "queue 'a' is suspended: " + failed);
  EXPECT_EQ(why(night), "queue 'a' is suspended: " + failed + "; 1 job comes before it in the queue");
  EXPECT_EQ(update(running, R"({"attributes.system.duration":90})"),
            fmt::format("the time limit of job {} cannot be changed: {}", running, failed));
  std::string status;
  manager::query(s.session, [&](const store::Reader& reader) {
    for (const auto& each : manager::queue_status(reader, std::nullopt)) {
      status += fmt::format("{} {} {}\n", each.queue, each.state.started, each.state.stop_reason);
    }
  });
  EXPECT_EQ(status, "a false " + failed + "\na-night false parent queue 'a': " + failed + "\nb true \n");
  set(Verb::start, "a");
  EXPECT_EQ(s.states({a, night}), "S S");
  load(two);
  EXPECT_EQ(s.states({a, night}), "R R");
  EXPECT_EQ(update(running, R"({"attributes.system.duration":90})"), "");
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
  EXPECT_EQ(
      why(second),
      fmt::format(
          "1 job comes before it in the queue: {} (4 cores requested, 0 free); 4 cores requested, 0 free",
          first));
  set(Verb::stop, "batch", "noon");
  EXPECT_EQ(why(first), "queue 'batch' is stopped: noon; 4 cores requested, 0 free");
  EXPECT_EQ(why(second),
            "queue 'batch' is stopped: noon; 1 job comes before it in the queue; 4 cores requested, 0 free");
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
  EXPECT_EQ(why(a), "queue 'a' is stopped; 8 cores requested, 0 free");
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
