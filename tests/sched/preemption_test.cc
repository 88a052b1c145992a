// Which running jobs are preempted for one that waits, and what is kept for it then.

#include "sched/preemption.h"

#include <algorithm>
#include <deque>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sched/pass.h"
#include "sched/random.h"
#include "sched/support.h"

namespace fq::sched {
namespace {

using test::between;
using test::FakeManager;
using test::kNow;
using test::nodes;
using test::parts;
using test::Shape;
using test::slots;

AllocRequest asks(std::uint64_t id, AllocRequest request, double duration = 100) {
  request.id = {id};
  request.priority = 16;
  request.t_order = request.t_submit = static_cast<double>(id);
  request.duration = request.least_duration = duration;
  return request;
}

// A machine on which jobs run, the first of which is the oldest, and a queue by whose jobs all of them may be
// preempted.
class Machine {
 public:
  explicit Machine(const std::vector<Shape>& shapes, double grace = 30) : manager(shapes) {
    parameters.preempt_rule.grace_s = grace;
  }

  void runs(std::uint64_t id, const std::string& what, double end = 0) {
    running_.push_back({{id}, parts(what)});
    manager.runs(id, running_.back().R, end);
  }
  /// They may be preempted for these.
  void may(const std::vector<std::uint64_t>& requests, std::size_t under_way = 0) {
    PreemptibleJobs jobs;
    jobs.under_way = under_way;
    for (auto at = running_.rbegin(); at != running_.rend(); ++at) jobs.jobs.push_back(&*at);
    for (const std::uint64_t id : requests) manager.preemptible[id] = jobs;
  }
  /// `11<1 +2`: job 11 is preempted for 1, job 2 starts.
  std::string pass(std::vector<AllocRequest> waiting) {
    Waiting pending{std::move(waiting)};
    const PassResult result = run_pass(
        pending, [&](const std::string&) { return make_scheduler(parameters); }, manager, kNow, 100);
    std::string out;
    const auto add = [&](const std::string& text) { out += (out.empty() ? "" : " ") + text; };
    for (const Preemption& each : result.preemptions)
      add(fmt::format("{}<{}", each.victim.value, each.by.value));
    for (const AllocReply& reply : result.decisions) {
      if (reply.type == AllocType::success) add(fmt::format("+{}", reply.id.value));
      if (reply.type == AllocType::annotate) said[reply.id.value] = reply.annotations;
    }
    claims = pending.claims;
    return out;
  }

  Parameters parameters;
  FakeManager manager;
  std::map<std::uint64_t, std::string> said, claims;

 private:
  struct Waiting final : PendingRequests {
    explicit Waiting(std::vector<AllocRequest> requests) : all(std::move(requests)) {}
    std::optional<AllocRequest> next() override {
      if (at == all.size()) return std::nullopt;
      return all[at++];
    }
    const std::string& served_by() const override { return queue; }
    void claimed(const AllocReply& reply) override { claims[reply.id.value] = reply.claims->summary(); }
    void skip_class() override {}
    void skip_queue() override { at = all.size(); }

    std::vector<AllocRequest> all;
    std::size_t at = 0;
    std::string queue;
    std::map<std::uint64_t, std::string> claims;
  };
  std::deque<Preemptible> running_;
};

TEST(Preemption, takes_the_youngest_first_and_no_more_than_needed) {
  // Two of four single cores are wanted: the two that began last; of larger ones the one that suffices.
  Machine machine({{4, 0}});
  for (std::uint64_t i = 0; i < 4; ++i) machine.runs(11 + i, fmt::format("0:{}", i));
  machine.may({1});
  EXPECT_EQ(machine.pass({asks(1, slots(2))}), "14<1 13<1");
  EXPECT_EQ(machine.claims.at(1), "rank0/core[2-3]");

  Machine mixed({{4, 0}, {4, 0}});
  mixed.runs(11, "0:0-3");
  mixed.runs(12, "1:0-2");
  mixed.runs(13, "1:3");
  mixed.may({1});
  // The youngest does not help where all four cores of a node are wanted unless its neighbour goes, too.
  EXPECT_EQ(mixed.pass({asks(1, nodes(1, 1, 4))}), "13<1 12<1");
  Machine other({{4, 0}, {4, 0}});
  other.runs(11, "1:0-2");
  other.runs(12, "0:0-3");
  other.runs(13, "1:3");
  other.may({1});
  // The younger of those that suffice; job 13 alone is left where it is.
  EXPECT_EQ(other.pass({asks(1, nodes(1, 1, 4))}), "12<1");
}

TEST(Preemption, takes_nothing_where_the_job_could_start_in_time_without) {
  // An end within the grace is as good; a later one is not.
  Machine soon({{2, 0}});
  soon.runs(11, "0:0-1", kNow + 30);
  soon.may({1});
  EXPECT_EQ(soon.pass({asks(1, slots(1))}), "");
  Machine late({{2, 0}});
  late.runs(11, "0:0-1", kNow + 31);
  late.may({1});
  EXPECT_EQ(late.pass({asks(1, slots(1))}), "11<1");
  Machine free({{2, 0}});
  free.runs(11, "0:0");
  free.may({1});
  EXPECT_EQ(free.pass({asks(1, slots(1))}), "+1");
}

TEST(Preemption, takes_nothing_where_all_of_it_would_not_do) {
  // What the others hold is not to be had, or the nodes are not up.
  Machine machine({{4, 0}});
  machine.manager.runs(9, parts("0:0-1"), 0);
  machine.runs(11, "0:2-3");
  machine.may({1});
  EXPECT_EQ(machine.pass({asks(1, slots(3))}), "");
  Machine down({{2, 0}, {2, 0}});
  down.runs(11, "1:0-1");
  down.manager.runs(9, parts("0:0-1"), 0);
  down.manager.pool().set_drained(test::ids(2).subtract(test::ids(1)));
  down.may({1});
  EXPECT_EQ(down.pass({asks(1, slots(1))}), "");
}

TEST(Preemption, what_is_reserved_for_the_job_itself_is_not_in_its_way) {
  // It waits for all there is, and has no time limit.
  Machine machine({{2, 0}});
  machine.runs(11, "0:0-1");
  machine.may({1});
  EXPECT_EQ(machine.pass({asks(1, slots(2), 0)}), "11<1");
}

TEST(Preemption, sees_gpus_constraints_and_exclusive_nodes) {
  // What does not have what is wanted is left alone, young as it is.
  Machine gpus({{2, 1}, {2, 1}});
  gpus.runs(11, "0:0:0");
  gpus.runs(12, "1:0:0");
  gpus.runs(13, "0:1");
  gpus.runs(14, "1:1");
  gpus.may({1});
  EXPECT_EQ(gpus.pass({asks(1, slots(1, 1, 1))}), "12<1");
  Machine named({{2, 0}, {2, 0}});
  named.runs(11, "0:0-1");
  named.runs(12, "1:0-1");
  named.may({1});
  EXPECT_EQ(named.pass({asks(1, test::with_constraint(slots(1), R"({"hostlist":["node0"]})"))}), "11<1");
  Machine whole({{2, 0}, {2, 0}});
  whole.runs(11, "0:0");
  whole.runs(12, "1:0");
  whole.runs(13, "0:1");
  whole.may({1});
  EXPECT_EQ(whole.pass({asks(1, nodes(1, 1, 1, 0, true))}), "12<1");
}

TEST(Preemption, keeps_what_it_frees_for_the_job) {
  // No other has it, however short: neither what is free yet nor what comes free.
  Machine machine({{2, 0}});
  machine.runs(11, "0:1");
  machine.may({1});
  EXPECT_EQ(machine.pass({asks(1, slots(2)), asks(2, slots(1), 1)}), "11<1");
  EXPECT_EQ(machine.said.at(1),
            R"({"sched":{"reason_pending":"waiting for 1 preempted job","t_estimate":1000030.0}})");
}

TEST(Preemption, is_not_asked_for_twice) {
  // What is under way for it will do; others have their own.
  Machine machine({{2, 0}});
  machine.runs(11, "0:0");
  machine.runs(12, "0:1");
  machine.may({1}, 1);
  machine.may({2});
  EXPECT_EQ(machine.pass({asks(1, slots(1))}), "");
  Machine two({{2, 0}});
  two.runs(11, "0:0");
  two.runs(12, "0:1");
  two.may({1, 2});
  EXPECT_EQ(two.pass({asks(1, slots(1)), asks(2, slots(1))}), "12<1 11<2");
}

TEST(Preemption, leaves_what_is_reserved_for_others) {
  // What job 1 waits for is not given to job 2 by preempting who has it.
  Machine machine({{2, 0}});
  machine.runs(11, "0:0-1", kNow + 100);
  machine.may({2});
  EXPECT_EQ(machine.pass({asks(1, slots(2), 100), asks(2, slots(1), 200)}), "");
  Machine beside({{2, 0}});
  beside.runs(11, "0:0-1", kNow + 100);
  beside.may({2});
  EXPECT_EQ(beside.pass({asks(1, slots(2), 100), asks(2, slots(1), 60)}), "11<2");
}

TEST(Preemption, works_under_each_discipline) {
  for (const std::string& name : scheduler_names()) {
    Machine machine({{2, 0}});
    machine.parameters.name = name;
    machine.runs(11, "0:0-1");
    machine.may({1});
    EXPECT_EQ(machine.pass({asks(1, slots(1))}), "11<1") << name;
  }
}

RC_GTEST_PROP(Preemption, frees_enough_and_nothing_that_is_not_needed, ()) {
  // Without the victims the job fits; with any one of them it does not.
  const auto machine_nodes = between<std::uint32_t>(1, 5);
  std::vector<Shape> shapes(machine_nodes, Shape{4, 1});
  Machine machine(shapes);
  std::map<std::uint64_t, document::ResourceSet> held;
  for (std::uint32_t node = 0; node < machine_nodes; ++node) {
    for (std::uint32_t core = 0; core < 4; ++core) {
      if (between(0, 5) == 0) continue;
      const std::uint64_t id = 10 + held.size();
      const std::string what = fmt::format("{}:{}{}", node, core, core == 0 ? ":0" : "");
      machine.runs(id, what);
      held.emplace(id, parts(what));
    }
  }
  machine.may({1});
  const bool by_node = between(0, 2) == 1;
  const AllocRequest request =
      by_node ? asks(1, nodes(between<std::uint32_t>(1, machine_nodes + 1), 1, between<std::uint32_t>(1, 5),
                              between<std::uint32_t>(0, 2), between(0, 2) == 1))
              : asks(1, slots(between<std::uint32_t>(1, 9), between<std::uint32_t>(1, 3),
                              between<std::uint32_t>(0, 2)));
  const std::string decided = machine.pass({request});
  std::set<std::uint64_t> victims;
  for (const auto& [id, r] : held) {
    if ((" " + decided).find(fmt::format(" {}<", id)) != std::string::npos) victims.insert(id);
  }
  const auto fits_without = [&](const std::set<std::uint64_t>& gone) {
    Pool pool(test::inventory(shapes));
    for (const auto& [id, r] : held) {
      if (!gone.contains(id)) pool.allocate(r);
    }
    return Matcher(pool).fits_free(request);
  };
  std::set<std::uint64_t> all;
  for (const auto& [id, r] : held) all.insert(id);
  const bool as_needed = decided == "+1"   ? fits_without({})
                         : victims.empty() ? !fits_without(all)
                                           : !fits_without({}) && fits_without(victims);
  RC_ASSERT(as_needed);
  for (const std::uint64_t id : victims) {
    std::set<std::uint64_t> fewer = victims;
    fewer.erase(id);
    RC_ASSERT(!fits_without(fewer));
  }
}

}  // namespace
}  // namespace fq::sched
