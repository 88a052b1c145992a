// What holds for every request and every pool.

#include <algorithm>
#include <bit>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "document/resource/constraint.h"
#include "sched/matcher.h"
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
using test::Shape;
using test::slots;

constexpr double kLawsNow = 1000000;

// Pools are small, so that requests often just fit or just do not.

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
      const auto r = matcher.match(request, kLawsNow);
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
    const bool fits = matcher.match(request, kLawsNow).has_value();
    RC_ASSERT(matcher.check_feasible(request).has_value() == !fits);
    take_down_some(world);
    RC_ASSERT(matcher.check_feasible(request).has_value() == !fits);
    RC_ASSERT(matcher.fits_usable(request) == matcher.match(request, kLawsNow).has_value());
  }));
}

TEST(MatcherLaws, slots_use_the_fewest_nodes) {
  // No smaller set of nodes could hold the slots, and none of the same size exists where match finds nothing.
  EXPECT_TRUE(rc::check([] {
    World world = arbitrary_world();
    take_down_some(world);
    Matcher matcher(world.pool);
    const AllocRequest first = arbitrary_request();
    if (const auto r = matcher.match(first, kLawsNow)) world.pool.allocate(*r);
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
    const auto r = matcher.match(request, kLawsNow);
    RC_ASSERT(r.has_value() == (fewest <= world.pool.size()));
    if (r) RC_ASSERT(r->nnodes() == fewest);
  }));
}
}  // namespace
}  // namespace fq::sched
