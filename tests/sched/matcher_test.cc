#include "sched/matcher.h"

#include <algorithm>
#include <bit>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/error.h"
#include "document/constraint.h"
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

constexpr double kNow = 1000000;

std::string matched(Matcher& matcher, const AllocRequest& request) {
  const auto r = matcher.match(request, kNow);
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
  // R is complete: slots in all, start, end, hosts, and the properties of its ranks except local ones.
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
            R"("properties":{"batch":"0-1"}}})");
}

TEST(Matcher, an_allocation_ends_with_its_duration_or_the_inventory) {
  // Without a duration R has no end of its own; no R outlives its inventory.
  struct Case {
    double duration, inventory_end, expiration;
  };
  for (const Case& c : std::vector<Case>{{0, 0, 0},
                                         {60, 0, kNow + 60},
                                         {HUGE_VAL, 0, 0},
                                         {0, kNow + 100, kNow + 100},
                                         {60, kNow + 100, kNow + 60},
                                         {200, kNow + 100, kNow + 100},
                                         {1e-12, 0, kNow + 1e-6}}) {
    auto r = inventory({{4, 0}});
    r->expiration = c.inventory_end;
    Pool pool(r);
    Matcher matcher(pool);
    AllocRequest request = slots(1);
    request.duration = c.duration;
    const auto given = matcher.match(request, kNow);
    EXPECT_EQ(given->expiration, c.expiration) << c.duration << " " << c.inventory_end;
    EXPECT_NO_THROW(given->verify());
  }
}

struct FeasibleCase {
  std::vector<Shape> shapes;
  AllocRequest request;
  std::string note;  ///< without its beginning; empty: feasible
};

TEST(Matcher, R27_30_a_note_says_what_is_asked_and_what_there_is) {
  // What can never run is told apart by what is missing, and is not confused with what is only taken or down.
  const std::string ranks = R"({"ranks":["0-1"]})";
  const std::string none = R"({"properties":["nope"]})";
  const std::vector<FeasibleCase> cases = {
      {{{4, 0}, {4, 0}, {4, 0}}, nodes(3), ""},
      {{{4, 0}, {4, 0}, {4, 0}}, nodes(5), "5 nodes requested, the inventory has 3"},
      {{{4, 0}, {4, 0}, {4, 0}}, with_constraint(nodes(5), ranks), "5 nodes requested, 2 match"},
      {{{4, 0}}, with_constraint(nodes(2), ranks), "2 nodes requested, 1 matches"},
      {{{4, 0}}, nodes(2, 1, 1, 0, true), "2 exclusive nodes requested, the inventory has 1"},
      {{{4, 0}, {4, 0}}, nodes(1, 2, 4), "1 node with 8 cores requested, the largest node has 4 cores"},
      {{{4, 0}, {4, 0}},
       with_constraint(nodes(2, 2, 4), ranks),
       "2 nodes with 8 cores each requested, the largest node that matches has 4 cores"},
      {{{4, 0}, {8, 0}}, nodes(2, 2, 4), "2 nodes with 8 cores each requested, the inventory has 1"},
      {{{4, 0}}, nodes(1, 1, 1, 1), "1 node with 1 core and 1 GPU requested, no node has GPUs"},
      {{{4, 1}}, nodes(1, 1, 1, 2), "1 node with 1 core and 2 GPUs requested, no node has more than 1 GPU"},
      {{{4, 0}, {4, 0}}, slots(8), ""},
      {{{4, 0}, {4, 0}}, slots(9), "9 cores requested, the inventory has 8"},
      {{{4, 0}, {4, 0}, {4, 0}}, with_constraint(slots(9), ranks), "9 cores requested, 8 match"},
      {{{4, 0}, {4, 0}}, slots(3, 3), "3 slots of 3 cores requested, the inventory has 2"},
      {{{4, 0}, {6, 0}}, slots(1, 8), "8 cores on one node requested, the largest node has 6 cores"},
      {{{4, 0}}, slots(1, 1, 1), "1 GPU on one node requested, no node has GPUs"},
      {{{4, 2}}, slots(1, 1, 3), "3 GPUs on one node requested, no node has more than 2 GPUs"},
      {{{4, 0}, {1, 2}}, slots(1, 4, 1), "4 cores and 1 GPU on one node requested, no node has both"},
      {{{4, 2}, {4, 2}}, slots(5, 1, 1), "5 slots of 1 core and 1 GPU requested, the inventory has 4"},
      {{{4, 0}}, with_constraint(slots(1), none), "no node matches the constraint 'nope'"},
      {{{4, 0}}, with_constraint(slots(1), "{}"), ""},
      {{}, slots(1), "1 core requested, the inventory has no nodes"},
  };
  for (const FeasibleCase& c : cases) {
    Pool pool(inventory(c.shapes));
    pool.set_down(Idset::from_range(0, 100));
    for (const ResourceSet::Node& node : pool.inventory().nodes()) {
      ResourceSet whole;
      whole.add(node);
      pool.allocate(whole);
    }
    Matcher matcher(pool);
    const auto note = matcher.check_feasible(c.request);
    EXPECT_EQ(note.value_or(""), c.note.empty() ? "" : "unsatisfiable request: " + c.note);
  }
}

TEST(Matcher, notes_stay_short) {
  // A long constraint is cut between characters.
  std::string constraint = R"({"properties":["a)";
  while (constraint.size() < 1000) constraint += "é";
  constraint += "\"]}";
  const std::string note = no_match_text(constraint);
  EXPECT_EQ(note.substr(0, 60), "unsatisfiable request: no node matches the constraint 'aéé");
  EXPECT_TRUE(note.ends_with("é...'"));
  EXPECT_LT(note.size(), 270u);
}

TEST(Matcher, R27_3_an_invalid_constraint_is_a_note) {
  // Feasibility is answered for any text; the note passes on what is wrong with the constraint.
  Pool pool(inventory({{4, 0}}));
  Matcher matcher(pool);
  const auto note = matcher.check_feasible(with_constraint(slots(1), R"({"propertys":["x"]})"));
  ASSERT_TRUE(note);
  EXPECT_TRUE(note->starts_with("unsatisfiable request: ")) << *note;
  EXPECT_NE(note->find("propertys"), std::string::npos) << *note;
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

// Laws. Pools are small, so that requests often just fit or just do not.

struct World {
  std::shared_ptr<ResourceSet> inventory;
  Pool pool;
};

World arbitrary_world() {
  std::vector<Shape> shapes;
  const int n = between(1, 7);
  for (int i = 0; i < n; ++i) shapes.push_back({between(0u, 9u), between(0u, 4u)});
  auto r = inventory(shapes);
  Idset some;
  for (int i = 0; i < n; ++i) {
    if (between(0, 2) == 0) some.insert(static_cast<std::uint32_t>(i));
  }
  r->set_property("some", some);
  return {r, Pool(r)};
}

AllocRequest arbitrary_request() {
  const auto cores = between(1u, 5u);
  const auto gpus = *rc::gen::element(0u, 0u, 1u, 2u);
  AllocRequest request = between(0, 2) == 0 ? slots(between(1u, 8u), cores, gpus)
                                            : nodes(between(1u, 4u), between(1u, 4u), cores, gpus);
  request.counts.exclusive = between(0, 4) == 0;
  request.constraint =
      *rc::gen::element<std::string>("", "", R"({"properties":["some"]})", R"({"properties":["^some"]})");
  return request;
}

void take_down_some(World& world) {
  Idset down, drained;
  for (const ResourceSet::Node& node : world.inventory->nodes()) {
    if (between(0, 5) == 0) down.insert(node.rank);
    if (between(0, 5) == 0) drained.insert(node.rank);
  }
  world.pool.set_down(down);
  world.pool.set_drained(drained);
}

/// Everything that must hold of an R for `request` from `pool` before it is allocated.
void check_R(const World& world, const AllocRequest& request, const ResourceSet& r) {
  const Pool& pool = world.pool;
  const document::ResourceCounts& want = request.counts;
  RC_ASSERT(world.inventory->contains(r));
  RC_ASSERT(!r.overlaps(pool.allocated()));
  RC_ASSERT(!r.ranks().intersects(pool.down().unite(pool.drained())));
  RC_ASSERT(r.nslots == want.nslots);
  if (!request.constraint.empty()) {
    RC_ASSERT(
        document::Constraint::from_json_text(request.constraint).match(*world.inventory).includes(r.ranks()));
  }
  std::uint64_t slots_held = 0;
  for (const ResourceSet::Node& node : r.nodes()) {
    const std::uint64_t by_cores = node.cores.count() / want.cores_per_slot;
    const std::uint64_t held =
        want.gpus_per_slot == 0 ? by_cores : std::min(by_cores, node.gpus.count() / want.gpus_per_slot);
    if (want.exclusive) {
      RC_ASSERT(node == *world.inventory->find(node.rank));
      RC_ASSERT(pool.idle(*pool.find(node.rank)));
    } else {
      RC_ASSERT(node.cores.count() == held * want.cores_per_slot);
      RC_ASSERT(node.gpus.count() == held * want.gpus_per_slot);
      if (want.nnodes > 0) RC_ASSERT(held == want.slots_per_node);
    }
    if (want.nnodes > 0) RC_ASSERT(held >= want.slots_per_node);
    slots_held += held;
  }
  if (want.nnodes > 0) RC_ASSERT(r.nnodes() == want.nnodes);
  if (want.exclusive) {
    RC_ASSERT(slots_held >= want.nslots);
  } else {
    RC_ASSERT(slots_held == want.nslots);
  }
}

TEST(MatcherLaws, allocations_fit_and_never_overlap) {
  // Through any sequence of starts and ends each R is sound, and at the end the pool is as at first.
  EXPECT_TRUE(rc::check([] {
    World world = arbitrary_world();
    take_down_some(world);
    const std::string fresh = test::show(world.pool);
    Matcher matcher(world.pool);
    std::vector<ResourceSet> running;
    for (int step = 0; step < 12; ++step) {
      if (!running.empty() && between(0, 3) == 0) {
        const auto i = between<std::size_t>(0, running.size());
        world.pool.release(running[i]);
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
        continue;
      }
      const AllocRequest request = arbitrary_request();
      const auto r = matcher.match(request, kNow);
      RC_ASSERT(matcher.fits_free(request) == r.has_value());
      RC_ASSERT(matcher.why_pending(request).empty() == r.has_value());
      if (!r) continue;
      RC_ASSERT(matcher.fits_usable(request));
      RC_ASSERT(matcher.check_feasible(request) == std::nullopt);
      check_R(world, request, *r);
      world.pool.allocate(*r);
      running.push_back(*r);
    }
    for (const ResourceSet& r : running) world.pool.release(r);
    RC_ASSERT(test::show(world.pool) == fresh);
  }));
}

TEST(MatcherLaws, feasible_is_what_an_empty_pool_can_give) {
  // With all nodes up and free, match succeeds exactly where check_feasible has no note, and fits_usable is
  // what match says of the usable nodes when empty.
  EXPECT_TRUE(rc::check([] {
    World world = arbitrary_world();
    Matcher matcher(world.pool);
    const AllocRequest request = arbitrary_request();
    const bool fits = matcher.match(request, kNow).has_value();
    RC_ASSERT(matcher.check_feasible(request).has_value() == !fits);
    take_down_some(world);
    RC_ASSERT(matcher.check_feasible(request).has_value() == !fits);
    RC_ASSERT(matcher.fits_usable(request) == matcher.match(request, kNow).has_value());
  }));
}

TEST(MatcherLaws, slots_use_the_fewest_nodes) {
  // No smaller set of nodes could hold the slots, and none of the same size exists where match finds nothing.
  EXPECT_TRUE(rc::check([] {
    World world = arbitrary_world();
    take_down_some(world);
    Matcher matcher(world.pool);
    const AllocRequest first = arbitrary_request();
    if (const auto r = matcher.match(first, kNow)) world.pool.allocate(*r);
    const AllocRequest request = slots(between(1u, 20u), between(1u, 4u), *rc::gen::element(0u, 1u));
    const auto& want = request.counts;
    std::size_t fewest = world.pool.size() + 1;
    for (unsigned chosen = 1; chosen < (1U << world.pool.size()); ++chosen) {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < world.pool.size(); ++i) {
        if ((chosen >> i & 1) == 0 || !world.pool.usable(i)) continue;
        const auto by_cores = world.pool.free_cores(i) / want.cores_per_slot;
        sum += want.gpus_per_slot == 0 ? by_cores
                                       : std::min(by_cores, world.pool.free_gpus(i) / want.gpus_per_slot);
      }
      if (sum >= want.nslots)
        fewest = std::min<std::size_t>(fewest, static_cast<std::size_t>(std::popcount(chosen)));
    }
    const auto r = matcher.match(request, kNow);
    RC_ASSERT(r.has_value() == (fewest <= world.pool.size()));
    if (r) RC_ASSERT(r->nnodes() == fewest);
  }));
}

}  // namespace
}  // namespace fq::sched
