#include <algorithm>
#include <set>
#include <tuple>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/error.h"
#include "document/resource/resource_set.h"
#include "support/error_text.h"

namespace fq::document {
namespace {

using notation::Hostlist;
using notation::Idset;
using Node = ResourceSet::Node;

ResourceSet make(std::initializer_list<Node> nodes) {
  ResourceSet set;
  for (const Node& node : nodes) set.add(node);
  return set;
}

/// What a set holds, one by one: rank, kind and id. The plain meaning that the algebra is compared with.
using Model = std::set<std::tuple<std::uint32_t, char, std::uint32_t>>;

Model model(const ResourceSet& set) {
  Model model;
  for (const Node& node : set.nodes()) {
    node.cores.for_each([&](std::uint32_t id) { model.emplace(node.rank, 'c', id); });
    node.gpus.for_each([&](std::uint32_t id) { model.emplace(node.rank, 'g', id); });
  }
  return model;
}

Idset some_ids(std::uint32_t below) {
  Idset ids;
  const auto bits = *rc::gen::inRange(0U, 1U << below);
  for (std::uint32_t id = 0; id < below; ++id) {
    if ((bits >> id & 1U) != 0) ids.insert(id);
  }
  return ids;
}

/// Whether there is text of it that can be read: an R has nodes, and each has cores.
bool is_R(const ResourceSet& set) {
  return !set.empty() &&
         std::ranges::none_of(set.nodes(), [](const Node& node) { return node.cores.empty(); });
}

/// Up to eight nodes, each on a host given by its rank, none of them without resources.
ResourceSet some_set() {
  ResourceSet set;
  some_ids(8).for_each([&](std::uint32_t rank) {
    Node node{rank, "n" + std::to_string(rank), some_ids(6), some_ids(2)};
    if (!node.cores.empty() || !node.gpus.empty()) set.add(node);
  });
  if (*rc::gen::arbitrary<bool>()) set.set_property("p", set.ranks().intersect(some_ids(8)));
  if (*rc::gen::arbitrary<bool>()) set.set_property("q@gpu", set.ranks());
  set.nslots = *rc::gen::inRange(0U, 5U);
  set.starttime = *rc::gen::inRange(0, 3) * 1.5;
  set.expiration = *rc::gen::arbitrary<bool>() ? 1795257930.942587 : 0;
  if (*rc::gen::arbitrary<bool>()) set.scheduling = R"({"writer":"x:y"})";
  return set;
}

TEST(ResourceSetAlgebra, encode_then_parse_gives_the_set) {
  // Text loses nothing: cores, hosts, properties, times, slots and the scheduling key return.
  EXPECT_TRUE(rc::check("parse after encode", [] {
    const ResourceSet set = some_set();
    RC_PRE(is_R(set));
    RC_ASSERT(ResourceSet::parse(set.encode()) == set);
    RC_ASSERT(ResourceSet::parse(set.encode()).encode() == set.encode());
  }));
}

TEST(ResourceSetAlgebra, operations_are_those_of_sets) {
  // On the plain set of (rank, kind, id), each operation is the mathematical one.
  EXPECT_TRUE(rc::check("set algebra", [] {
    const ResourceSet a = some_set();
    const ResourceSet b = some_set();
    const Model in_a = model(a);
    const Model in_b = model(b);
    Model expected;
    std::set_union(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(),
                   std::inserter(expected, expected.end()));
    RC_ASSERT(model(a.unite(b)) == expected);
    expected.clear();
    std::set_intersection(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(),
                          std::inserter(expected, expected.end()));
    RC_ASSERT(model(a.intersect(b)) == expected);
    RC_ASSERT(a.overlaps(b) == !expected.empty());
    expected.clear();
    std::set_difference(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(),
                        std::inserter(expected, expected.end()));
    RC_ASSERT(model(a.subtract(b)) == expected);
    RC_ASSERT(b.contains(a) == expected.empty());
    RC_ASSERT(a.ncores() + a.ngpus() == in_a.size());
  }));
}

TEST(ResourceSetAlgebra, laws_hold_for_nodes_and_hosts) {
  // Union and intersection commute, a set is what it shares and does not share with another, and parts fit
  // the whole.
  EXPECT_TRUE(rc::check("laws", [] {
    const ResourceSet a = some_set();
    const ResourceSet b = some_set();
    RC_ASSERT(a.unite(b).nodes() == b.unite(a).nodes());
    RC_ASSERT(a.intersect(b).nodes() == b.intersect(a).nodes());
    const ResourceSet rest = a.subtract(b);
    const ResourceSet common = a.intersect(b);
    RC_ASSERT(rest.append(common).nodes() == a.nodes());
    RC_ASSERT(a.contains(rest) && a.contains(common) && a.unite(b).contains(b));
    RC_ASSERT(a.unite(a).nodes() == a.nodes());
    RC_ASSERT(a.subtract(a).empty());
    RC_ASSERT(a.subset(b.ranks()).nodes() == a.subset(a.ranks().intersect(b.ranks())).nodes());
    RC_ASSERT(a.subset(b.ranks()).ranks() == a.ranks().intersect(b.ranks()));
  }));
}

TEST(ResourceSetAlgebra, properties_stay_within_the_ranks) {
  // In every result each property names ranks of the result only, and text can be read again.
  EXPECT_TRUE(rc::check("properties", [] {
    const ResourceSet a = some_set();
    const ResourceSet b = some_set();
    for (const ResourceSet& set :
         {a.unite(b), a.intersect(b), a.subtract(b), a.subset(b.ranks()), a.remap()}) {
      for (const auto& [name, ranks] : set.properties()) {
        RC_ASSERT(!ranks.empty());
        RC_ASSERT(set.ranks().includes(ranks));
      }
      if (is_R(set)) RC_ASSERT(ResourceSet::parse(set.encode()) == set);
    }
  }));
}

TEST(ResourceSetAlgebra, R20_20_rerank_and_back_changes_nothing) {
  // Giving ranks by a shuffled host list and then by the first order restores a set whose ranks were 0, 1, ….
  EXPECT_TRUE(rc::check("rerank", [] {
    const ResourceSet set = some_set().remap();
    std::vector<std::string> hosts = set.hostlist().hosts();
    for (std::size_t i = hosts.size(); i > 1; --i) {
      std::swap(hosts[i - 1], hosts[*rc::gen::inRange<std::size_t>(0, i)]);
    }
    Hostlist shuffled;
    for (const std::string& host : hosts) shuffled.append(host);
    const ResourceSet moved = set.rerank(shuffled);
    RC_ASSERT(moved.hostlist().hosts() == hosts);
    RC_ASSERT(moved.ncores() == set.ncores());
    RC_ASSERT(moved.rerank(set.hostlist()) == set);
  }));
}

TEST(ResourceSetAlgebra, R20_20_an_inherited_set_is_reranked) {
  // Ranks become 0, 1, … in host order, properties move with their hosts, and cores keep their ids.
  ResourceSet set =
      make({{19, "node186", {0, 1}, {}}, {20, "node187", {2, 3}, {0}}, {21, "node188", {5}, {}}});
  set.set_property("fast", Idset{20, 21});
  set.nslots = 3;
  set.expiration = 100;
  EXPECT_EQ(set.rerank(Hostlist::decode("node[188,186-187]")).encode(),
            R"({"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"5"}},)"
            R"({"rank":"1","children":{"core":"0-1"}},{"rank":"2","children":{"core":"2-3","gpu":"0"}}],)"
            R"("starttime":0.0,"expiration":100.0,"nslots":3,"nodelist":["node[188,186-187]"],)"
            R"("properties":{"fast":"0,2"}}})");
}

TEST(ResourceSetAlgebra, rerank_wants_every_node_once) {
  // Too few, too many, unknown and repeated hosts are refused; ranks that share a host keep their order.
  const ResourceSet set = make({{0, "a", {0}, {}}, {1, "b", {1}, {}}, {2, "b", {2}, {}}});
  const auto refusal = [&](const char* hosts) {
    return error_text([&] { return set.rerank(Hostlist::decode(hosts)); });
  };
  EXPECT_EQ(refusal("a,b"), "2 hosts given for 3 nodes");
  EXPECT_EQ(refusal("a,b,b,c"), "4 hosts given for 3 nodes");
  EXPECT_EQ(refusal("a,b,c"), "host 'c' is not in the resource set");
  EXPECT_EQ(refusal("a,a,b"), "host 'a' is named more often than it has ranks");
  EXPECT_EQ(set.rerank(Hostlist::decode("b,a,b")).summary(), "rank0/core1 rank1/core0 rank2/core2");
}

TEST(ResourceSetAlgebra, remap_numbers_ranks_and_cores_from_0) {
  // Ranks and cores close up, gpus keep their ids since they name devices, properties follow.
  ResourceSet set = make({{3, "a", {2, 3}, {1}}, {8, "b", {0, 5, 7}, {}}});
  set.set_property("p", Idset{8});
  const ResourceSet mapped = set.remap();
  EXPECT_EQ(mapped.summary(), "rank0/core[0-1],gpu1 rank1/core[0-2]");
  EXPECT_EQ(mapped.nodelist(), "a,b");
  EXPECT_EQ(mapped.ranks_with("p"), (Idset{1}));
}

TEST(ResourceSetAlgebra, operations_drop_nodes_that_hold_nothing) {
  // What is left without cores and gpus disappears from the result, host and properties included.
  ResourceSet a = make({{0, "a", {0, 1}, {0}}, {1, "b", {0, 1}, {}}});
  a.set_property("p", Idset{0, 1});
  const ResourceSet b = make({{1, "b", {0, 1, 2}, {}}, {2, "c", {0}, {}}});
  EXPECT_EQ(a.subtract(b).encode(),
            R"({"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-1","gpu":"0"}}],)"
            R"("starttime":0.0,"expiration":0.0,"nodelist":["a"],"properties":{"p":"0"}}})");
  EXPECT_EQ(a.intersect(b).summary(), "rank1/core[0-1]");
  EXPECT_EQ(a.unite(b).summary(), "rank0/core[0-1],gpu0 rank1/core[0-2] rank2/core0");
  EXPECT_TRUE(a.intersect(make({{0, "a", {7}, {}}})).empty());
}

TEST(ResourceSetAlgebra, append_wants_disjoint_sets) {
  // Sets that share a core are refused with what they share; other cores of the same node are added.
  const ResourceSet a = make({{0, "a", {0, 1}, {}}, {1, "b", {0, 1}, {}}});
  EXPECT_EQ(error_text([&] {
              return a.append(make({{0, "a", {1, 2}, {}}, {1, "b", {1}, {}}}));
            }),
            "the resource sets overlap in 'rank[0-1]/core1'");
  EXPECT_EQ(a.append(make({{0, "a", {2, 3}, {}}, {5, "c", {0}, {}}})).summary(),
            "rank0/core[0-3] rank1/core[0-1] rank5/core0");
}

TEST(ResourceSetAlgebra, verify_against_wants_what_is_expected) {
  // Each rank must be expected, on its host, with at least its resources; what is beyond them is returned.
  const ResourceSet expected =
      make({{0, "a", {0, 1}, {0}}, {1, "b", {0, 1}, {}}, {2, "c", {0, 1}, {}}, {3, "d", {0}, {}}});
  const auto fault = [&](const ResourceSet& set) {
    return error_text([&] { return set.verify_against(expected); });
  };
  EXPECT_EQ(make({{1, "b", {0, 1}, {}}}).verify_against(expected).summary(), "");
  EXPECT_EQ(make({{0, "a", {0, 1, 2}, {0, 1}}, {3, "d", {0, 1}, {}}}).verify_against(expected).summary(),
            "rank0/core2,gpu1 rank3/core1");
  EXPECT_EQ(fault(make({{1, "b", {0}, {}}, {2, "c", {0, 5}, {}}})), "missing resources: rank[1-2]/core1");
  EXPECT_EQ(fault(make({{0, "a", {0, 1}, {}}})), "missing resources: rank0/gpu0");
  EXPECT_EQ(fault(make({{7, "a", {0, 1}, {}}})), "rank 7 is not expected");
  EXPECT_EQ(fault(make({{0, "a", {0}, {}}, {8, "x", {0}, {}}, {9, "y", {0}, {}}})),
            "ranks 8-9 are not expected");
  EXPECT_EQ(fault(make({{1, "x", {0, 1}, {}}})),
            "rank 1 is on host 'b' in one resource set and on 'x' in the other");
}

TEST(ResourceSetAlgebra, one_rank_on_two_hosts_is_refused) {
  // Where two sets disagree about the host of a rank they cannot be combined, and share nothing.
  const ResourceSet a = make({{0, "a", {0}, {}}});
  const ResourceSet b = make({{0, "b", {0}, {}}});
  const std::string message = "rank 0 is on host 'a' in one resource set and on 'b' in the other";
  EXPECT_EQ(error_text([&] { return a.unite(b); }), message);
  EXPECT_EQ(error_text([&] { return a.intersect(b); }), message);
  EXPECT_EQ(error_text([&] { return a.subtract(b); }), message);
  EXPECT_EQ(error_text([&] { return a.append(b); }), message);
  EXPECT_FALSE(a.overlaps(b));
  EXPECT_FALSE(a.contains(b));
}

TEST(ResourceSetAlgebra, results_carry_times_and_scheduling) {
  // A result has the times of the left set, the scheduling key of the left or else the right, and no slots.
  ResourceSet a = make({{0, "a", {0, 1}, {}}});
  a.starttime = 10;
  a.expiration = 20;
  a.nslots = 2;
  ResourceSet b = make({{0, "a", {1, 2}, {}}});
  b.expiration = 99;
  b.scheduling = R"({"b":1})";
  for (const ResourceSet& result : {a.unite(b), a.intersect(b)}) {
    EXPECT_EQ(result.starttime, 10);
    EXPECT_EQ(result.expiration, 20);
    EXPECT_EQ(result.nslots, 0U);
    EXPECT_EQ(result.scheduling, R"({"b":1})");
  }
  EXPECT_EQ(a.subtract(b).scheduling, "");
  a.scheduling = R"({"a":1})";
  EXPECT_EQ(a.unite(b).scheduling, R"({"a":1})");
  EXPECT_EQ(a.subset(Idset{0}).scheduling, R"({"a":1})");
  EXPECT_EQ(a.remap().nslots, 2U);
}

TEST(ResourceSetAlgebra, a_copy_finds_its_own_hosts) {
  // The index of hosts made for one set serves copies and moves, and not what came before a change.
  ResourceSet set = make({{0, "a", {0}, {}}, {1, "b", {0}, {}}});
  EXPECT_EQ(set.ranks_on("b"), (Idset{1}));
  ResourceSet copy = set;
  set.add({2, "c", {0}, {}});
  EXPECT_EQ(copy.ranks_on("c"), Idset{});
  EXPECT_EQ(copy.ranks_on("a"), (Idset{0}));
  const ResourceSet moved = std::move(copy);
  EXPECT_EQ(moved.ranks_on("a"), (Idset{0}));
  EXPECT_EQ(set.ranks_on("c"), (Idset{2}));
}

}  // namespace
}  // namespace fq::document
