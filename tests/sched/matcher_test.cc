#include "sched/matcher.h"

#include <algorithm>
#include <bit>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/error.h"
#include "document/resource/constraint.h"
#include "sched/random.h"
#include "sched/request_text.h"
#include "sched/support.h"

namespace fq::sched {
namespace {

using document::ResourceSet;
using notation::Idset;
using test::between;
using test::inventory;
using test::nodes;
using test::parts;
using test::Shape;
using test::slots;
using test::with_constraint;

constexpr double kMatchNow = 1000000;

std::string matched(Matcher& matcher, const AllocRequest& request) {
  const auto r = matcher.match(request, kMatchNow);
  return r ? r->summary() : "nothing: " + matcher.why_pending(request);
}

struct MatchCase {
  std::vector<Shape> shapes;
  std::string allocated;
  AllocRequest request;
  std::string result;
};

void expect_matches(const std::vector<MatchCase>& cases) {
  for (const MatchCase& c : cases) {
    Pool pool(inventory(c.shapes));
    pool.allocate(parts(c.allocated));
    Matcher matcher(pool);
    EXPECT_EQ(matched(matcher, c.request), c.result)
        << request_text(c.request.counts) << " beside [" << c.allocated << "]";
  }
}

TEST(Matcher, slots_are_packed_onto_the_fewest_nodes) {
  // One node that is left with least if there is such a node, else the largest ones and a tight last one.
  expect_matches({
      {{{4, 0}, {4, 0}}, "", slots(1), "rank0/core0"},
      {{{4, 0}, {4, 0}}, "1:0-2", slots(1), "rank1/core3"},
      {{{4, 0}, {4, 0}}, "1:0-2", slots(2), "rank0/core[0-1]"},
      {{{4, 0}, {8, 0}, {2, 0}}, "", slots(2), "rank2/core[0-1]"},
      {{{4, 0}, {8, 0}, {2, 0}}, "", slots(10), "rank1/core[0-7] rank2/core[0-1]"},
      {{{4, 0}, {8, 0}, {2, 0}}, "", slots(11), "rank0/core[0-2] rank1/core[0-7]"},
      {{{4, 0}, {4, 0}, {4, 0}}, "0:0 1:0-1", slots(9), "rank0/core[1-3] rank1/core[2-3] rank2/core[0-3]"},
      {{{4, 0}, {4, 0}}, "0:1", slots(3), "rank0/core[0,2-3]"},
      {{{4, 0}, {4, 0}}, "0:0 1:0", slots(7), "nothing: 7 cores requested, 6 free"},
  });
}

TEST(Matcher, a_slot_never_spans_nodes) {
  // Cores that are left over on several nodes do not make a slot.
  expect_matches({
      {{{4, 0}, {4, 0}}, "", slots(2, 3), "rank[0-1]/core[0-2]"},
      {{{4, 0}, {4, 0}, {4, 0}}, "2:0", slots(3, 3), "rank[0-1]/core[0-2] rank2/core[1-3]"},
      {{{4, 0}, {4, 0}, {4, 0}},
       "2:0-1",
       slots(3, 3),
       "nothing: 3 slots of 3 cores requested, 2 fit in what is free"},
      {{{4, 2}, {4, 0}},
       "0:0-3",
       slots(1, 1, 1),
       "nothing: 1 slot of 1 core and 1 GPU requested, 0 fit in what is free"},
      {{{4, 2}, {4, 2}}, "0::0", slots(3, 1, 1), "rank0/core0,gpu1 rank1/core[0-1],gpu[0-1]"},
      {{{4, 2}, {4, 2}}, "0::0", slots(4, 1, 1), "nothing: 4 GPUs requested, 3 free"},
      {{{2, 2}, {2, 2}},
       "0:0:0",
       slots(4, 1, 1),
       "nothing: 4 cores requested, 3 free; 4 GPUs requested, 3 free"},
  });
}

TEST(Matcher, jobs_without_gpus_leave_gpu_nodes_alone) {
  // Nodes that keep the fewest GPUs come first, then those that keep the fewest cores.
  expect_matches({
      {{{4, 2}, {8, 0}}, "", slots(2), "rank1/core[0-1]"},
      {{{4, 2}, {8, 0}}, "", nodes(1, 1, 2), "rank1/core[0-1]"},
      {{{8, 4}, {4, 2}, {8, 0}}, "", slots(1, 1, 1), "rank1/core0,gpu0"},
      {{{4, 0}, {4, 0}, {4, 0}}, "1:0-1 2:0", nodes(2, 1, 2), "rank1/core[2-3] rank2/core[1-2]"},
  });
}

TEST(Matcher, a_node_level_gives_so_many_nodes_with_so_many_slots) {
  // Every node gets all of its slots; a node that could hold only some is not used.
  expect_matches({
      {{{4, 0}, {4, 0}, {4, 0}}, "", nodes(2, 2, 2), "rank[0-1]/core[0-3]"},
      {{{4, 0}, {4, 0}, {4, 0}}, "0:3", nodes(2, 2, 2), "rank[1-2]/core[0-3]"},
      {{{4, 0}, {4, 0}, {4, 0}}, "0:3", nodes(3, 1, 3), "rank[0-2]/core[0-2]"},
      {{{4, 1}, {4, 2}, {4, 2}}, "", nodes(2, 2, 1, 1), "rank[1-2]/core[0-1],gpu[0-1]"},
      {{{4, 1}, {4, 2}, {4, 2}},
       "1::1",
       nodes(2, 2, 1, 1),
       "nothing: waiting for 2 nodes with 2 free cores and 2 free GPUs each (1 now)"},
      {{{4, 0}}, "0:0", nodes(1, 1, 4), "nothing: waiting for 1 node with 4 free cores (0 now)"},
  });
}

TEST(Matcher, exclusive_gives_whole_idle_nodes) {
  // R holds all cores and GPUs of nodes of which nothing was allocated, whatever the slots need.
  AllocRequest exclusive_slots = slots(3, 2);
  exclusive_slots.counts.exclusive = true;
  expect_matches({
      {{{4, 0}, {4, 2}, {4, 0}}, "", nodes(2, 1, 1, 0, true), "rank[0,2]/core[0-3]"},
      {{{4, 0}, {4, 2}, {4, 0}}, "0:0", nodes(2, 1, 1, 0, true), "rank1/core[0-3],gpu[0-1] rank2/core[0-3]"},
      {{{4, 0}, {4, 2}, {4, 0}},
       "0:0 1::0",
       nodes(2, 1, 1, 0, true),
       "nothing: waiting for 2 free nodes (1 free)"},
      {{{4, 0}, {8, 0}}, "", nodes(1, 1, 6, 0, true), "rank1/core[0-7]"},
      {{{4, 0}, {4, 0}, {4, 0}}, "1:0", exclusive_slots, "rank[0,2]/core[0-3]"},
      {{{4, 0}, {4, 0}, {4, 0}},
       "1:0 2:0",
       exclusive_slots,
       "nothing: waiting for free nodes: 3 slots of 2 cores requested, 2 fit"},
  });
}

TEST(Matcher, unusable_nodes_are_not_chosen) {
  // What is free on nodes that are down or drained does not count, and the reason says what is missing.
  Pool pool(inventory({{4, 0}, {4, 0}, {4, 0}}));
  pool.set_down({0});
  pool.set_drained({1});
  Matcher matcher(pool);
  EXPECT_EQ(matched(matcher, slots(2)), "rank2/core[0-1]");
  EXPECT_EQ(matched(matcher, slots(5)),
            "nothing: waiting for nodes that are down or drained: 5 cores requested, 4 of 12 up");
  EXPECT_EQ(matched(matcher, nodes(2, 1, 1, 0, true)),
            "nothing: waiting for nodes that are down or drained: "
            "2 exclusive nodes with 1 core each requested, 1 of 3 up");
  EXPECT_FALSE(matcher.fits_usable(slots(5)));
  EXPECT_EQ(matcher.check_feasible(slots(5)), std::nullopt);
  pool.set_down({0}, false);
  EXPECT_TRUE(matcher.fits_usable(slots(5)));
  EXPECT_EQ(matched(matcher, slots(5)), "rank0/core[0-3] rank2/core0");
}

TEST(Matcher, constraints_limit_the_nodes) {
  // Only nodes that the constraint matches are chosen or counted as free.
  auto r = inventory({{4, 0}, {4, 0}, {4, 1}, {4, 1}});
  r->set_property("gpu", Idset::decode("2-3"));
  Pool pool(r);
  Matcher matcher(pool);
  const std::string gpu = R"({"properties":["gpu"]})";
  EXPECT_EQ(matched(matcher, with_constraint(slots(1), gpu)), "rank2/core0");
  EXPECT_EQ(matched(matcher, with_constraint(slots(1), R"({"properties":["^gpu"]})")), "rank0/core0");
  EXPECT_EQ(matched(matcher, with_constraint(slots(1), R"({"hostlist":["node[1,3]"]})")), "rank1/core0");
  EXPECT_EQ(matched(matcher, with_constraint(slots(2), R"({"ranks":["3"]})")), "rank3/core[0-1]");
  pool.allocate(parts("2:0-2 3:0-3"));
  EXPECT_EQ(matched(matcher, with_constraint(slots(2), gpu)), "nothing: 2 cores requested, 1 free");
  EXPECT_EQ(matched(matcher, with_constraint(slots(2), "{}")), "rank0/core[0-1]");
}

TEST(Matcher, ranks_of_an_inventory_may_have_gaps) {
  // A constraint names ranks, not places in the inventory.
  auto r = std::make_shared<ResourceSet>(parts("2:0-1 3:0-1 7:0-1 20:0-1"));
  Pool pool(r);
  Matcher matcher(pool);
  EXPECT_EQ(matched(matcher, with_constraint(slots(3), R"({"ranks":["3-20"]})")),
            "rank3/core[0-1] rank7/core0");
  EXPECT_EQ(matched(matcher, with_constraint(nodes(2), R"({"not":[{"ranks":["3-7"]}]})")),
            "rank[2,20]/core0");
}

TEST(Matcher, R20_9_R_has_slots_times_and_properties) {
  // R is complete: slots in all, start, end, hosts, the properties of its ranks except local ones, and what
  // schedulers keep.
  auto r = inventory({{4, 0}, {4, 0}, {4, 0}, {4, 0}});
  r->set_property("batch", Idset::decode("0-2"));
  r->set_property("debug", Idset::decode("3"));
  r->set_property("+local", Idset::decode("0-3"));
  r->scheduling = R"({"writer":"x:y"})";
  Pool pool(r);
  Matcher matcher(pool);
  AllocRequest request = nodes(2, 2, 2);
  request.duration = 3600;
  EXPECT_EQ(matcher.match(request, 1795257930.5)->encode(),
            R"({"version":1,"execution":{"R_lite":[{"rank":"0-1","children":{"core":"0-3"}}],)"
            R"("starttime":1795257930.5,"expiration":1795261530.5,"nslots":4,"nodelist":["node[0-1]"],)"
            R"("properties":{"batch":"0-1"}},"scheduling":{"writer":"x:y"}})");
}

TEST(Matcher, an_allocation_ends_with_its_duration_or_the_inventory) {
  // Without a duration R has no end of its own; no R outlives its inventory.
  struct Case {
    double duration, inventory_end, expiration;
  };
  for (const Case& c : std::vector<Case>{{0, 0, 0},
                                         {60, 0, kMatchNow + 60},
                                         {HUGE_VAL, 0, 0},
                                         {0, kMatchNow + 100, kMatchNow + 100},
                                         {60, kMatchNow + 100, kMatchNow + 60},
                                         {200, kMatchNow + 100, kMatchNow + 100},
                                         {1e-12, 0, kMatchNow + 1e-6}}) {
    auto r = inventory({{4, 0}});
    r->expiration = c.inventory_end;
    Pool pool(r);
    Matcher matcher(pool);
    AllocRequest request = slots(1);
    request.duration = c.duration;
    const auto given = matcher.match(request, kMatchNow);
    EXPECT_EQ(given->expiration, c.expiration) << c.duration << " " << c.inventory_end;
    EXPECT_NO_THROW(given->verify());
  }
}

TEST(Matcher, follows_the_pool) {
  // Answers are those of the pool as it is now, though a matcher remembers.
  Pool pool(inventory({{2, 0}}));
  Matcher matcher(pool);
  EXPECT_EQ(matched(matcher, slots(2)), "rank0/core[0-1]");
  pool.allocate(parts("0:0"));
  EXPECT_EQ(matched(matcher, slots(2)), "nothing: 2 cores requested, 1 free");
  pool.release(parts("0:0"));
  EXPECT_EQ(matched(matcher, slots(2)), "rank0/core[0-1]");
}

}  // namespace
}  // namespace fq::sched
