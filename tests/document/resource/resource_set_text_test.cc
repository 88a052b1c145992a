// Resource sets as a whole: the RFC's example, how they are made, updated, written and summarised.

#include <ctime>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "document/resource/some_resource_sets.h"

namespace fq::document {
namespace {

using nlohmann::json;
using notation::Hostlist;
using notation::Idset;
using test::read_data;
using test::read_set;
using test::small;

TEST(ResourceSet, R20_21_the_example_is_four_nodes) {
  // The RFC's example has ranks 19-22 on node[186-189], cores 0-47, gpus 0-7 and 32 slots.
  const ResourceSet set = ResourceSet::parse(read_data("rfc20/example1.json"));
  EXPECT_EQ(set.ranks().encode(), "19-22");
  EXPECT_EQ(set.nodelist(), "node[186-189]");
  EXPECT_EQ(set.summary(), "rank[19-22]/core[0-47],gpu[0-7]");
  EXPECT_EQ(set.nslots, 32U);
  EXPECT_EQ(
      set.encode(),
      R"({"version":1,"execution":{"R_lite":[{"rank":"19-22","children":{"core":"0-47","gpu":"0-7"}}],)"
      R"("starttime":1676560542.0,"expiration":1676562342.0,"nslots":32,"nodelist":["node[186-189]"]}})");
}

TEST(ResourceSet, R20_22_a_slot_of_the_example_is_6_cores_and_1_gpu) {
  // Cores and gpus over slots give 6 and 1, and the times span half an hour on 16 February 2023.
  const ResourceSet set = ResourceSet::parse(read_data("rfc20/example1.json"));
  EXPECT_EQ(set.ncores() / set.nslots, 6U);
  EXPECT_EQ(set.ngpus() / set.nslots, 1U);
  EXPECT_EQ(set.expiration - set.starttime, 1800);
  EXPECT_TRUE(set.valid_at(1676561442));
  const auto start = static_cast<std::time_t>(set.starttime);
  EXPECT_EQ(std::string{std::asctime(std::gmtime(&start))}, "Thu Feb 16 15:15:42 2023\n");
}

TEST(ResourceSet, R20_23_a_set_tells_whether_it_holds_a_host) {
  // The ranks on a host are found by its name, in any number, and change with the set.
  ResourceSet set = read_set(small());
  EXPECT_EQ(set.ranks_on("node2"), (Idset{2}));
  EXPECT_EQ(set.ranks_on("node4"), Idset{});
  EXPECT_EQ(ResourceSet{}.ranks_on("node2"), Idset{});
  set.add({9, "node2", {0}, {}});
  EXPECT_EQ(set.ranks_on("node2"), (Idset{2, 9}));
  EXPECT_EQ(set.ranks_on(Hostlist::decode("x7,node[1-2],node2")), (Idset{1, 2, 9}));
  EXPECT_EQ(set.ranks_on(Hostlist::decode("node[2-9999999]")), (Idset{2, 3, 9}));
}

TEST(ResourceSet, R20_24_identical_nodes_share_one_entry) {
  // 10 000 whole nodes are written in under 300 bytes, and every third node that differs adds one entry.
  ResourceSet set;
  for (std::uint32_t rank = 0; rank < 10'000; ++rank) {
    set.add({rank, "node" + std::to_string(rank), Idset::from_range(0, 127), Idset::from_range(0, 7)});
  }
  set.nslots = 10'000;
  set.starttime = 1795257930.942587;
  set.expiration = 1795261530.942587;
  EXPECT_LT(set.encode().size(), 300U);
  EXPECT_EQ(ResourceSet::parse(set.encode()), set);

  ResourceSet mixed;
  for (std::uint32_t rank = 0; rank < 9; ++rank) {
    mixed.add({rank, "n" + std::to_string(rank), rank % 3 == 0 ? Idset{0} : Idset{0, 1}, {}});
  }
  EXPECT_EQ(json::parse(mixed.encode())["execution"]["R_lite"],
            json::parse(R"([{"rank":"0,3,6","children":{"core":"0"}},
                            {"rank":"1-2,4-5,7-8","children":{"core":"0-1"}}])"));
}

TEST(ResourceSet, R20_24_expiration_can_be_updated) {
  // A changed expiration is written, and checked against the start.
  ResourceSet set = read_set(small());
  set.starttime = 100;
  set.expiration = 160;
  set.verify();
  EXPECT_EQ(json::parse(set.encode())["execution"]["expiration"], 160.0);
  set.expiration = 90;
  EXPECT_EQ(error_text([&] { return set.verify(), 0; }), "expiration 90 is not after starttime 100");
}

TEST(ResourceSet, encodes_as_flux_does) {
  // R recorded from Flux is read, and what is written is the same document.
  const std::string inventory =
      R"({"version": 1, "execution": {"R_lite": [{"rank": "0-3", "children": {"core": "0-3"}}], )"
      R"("starttime": 0.0, "expiration": 0.0, "nodelist": ["node[0-3]"], )"
      R"("properties": {"batch": "0-2", "debug": "3"}}})";
  EXPECT_EQ(json::parse(ResourceSet::parse(inventory).encode()), json::parse(inventory));
  const std::string allocation =
      R"({"version": 1, "execution": {"R_lite": [{"rank": "0-1", "children": {"core": "0-3"}}], )"
      R"("starttime": 1795257930.9425867, "expiration": 1795261530.9425867, "nslots": 4, )"
      R"("nodelist": ["node[0-1]"], "properties": {"batch": "0-1"}}})";
  EXPECT_EQ(json::parse(ResourceSet::parse(allocation).encode()), json::parse(allocation));
}

TEST(ResourceSet, equal_sets_give_equal_texts) {
  // Order of entries, way of compression and an empty property make no difference to what is written.
  const ResourceSet other = ResourceSet::parse(R"({"execution":{
    "properties":{"debug":"3","none":"","batch":"0-2"},"nodelist":["node0,node1","node[2]","node3"],
    "R_lite":[{"children":{"gpu":"0-1","core":"0-3"},"rank":"3"},{"rank":"1","children":{"core":"0-3"}},
              {"rank":"2","children":{"core":"0-3","gpu":"0-1"}},{"rank":"0","children":{"core":"0-3"}}],
    "starttime":0},"version":1})");
  EXPECT_EQ(other, read_set(small()));
  EXPECT_EQ(other.encode(), read_set(small()).encode());
}

TEST(ResourceSet, an_empty_set_is_no_R) {
  // It can be computed with, and has no text that can be read.
  EXPECT_EQ(error_text([] { return ResourceSet::parse(ResourceSet{}.encode()).nnodes(); }),
            "R: execution.R_lite: expected at least one entry");
  EXPECT_EQ(ResourceSet{}.nodelist(), "");
  EXPECT_EQ(ResourceSet{}.summary(), "");
}

TEST(ResourceSet, add_keeps_ranks_ascending_and_unique) {
  // Nodes may be added in any order; a rank that is there, or a bad host, is refused and changes nothing.
  ResourceSet set;
  set.add({5, "c", {0}, {}});
  set.add({1, "a", {0}, {}});
  set.add({3, "b", {0}, {}});
  EXPECT_EQ(set.nodelist(), "a,b,c");
  EXPECT_EQ(set.ranks(), (Idset{1, 3, 5}));
  EXPECT_EQ(error_text([&] {
              return set.add({3, "d", {0}, {}}), 0;
            }),
            "rank 3 is in the resource set already, on host 'b'");
  EXPECT_EQ(error_text([&] {
              return set.add({4, "n[1-2]", {0}, {}}), 0;
            }),
            "rank 4: 'n[1-2]' is not a host name");
  EXPECT_EQ(error_text([&] { return set.add({4, "", {0}, {}}), 0; }), "rank 4: '' is not a host name");
  EXPECT_EQ(set.find(4), nullptr);
  EXPECT_EQ(set.find(3)->host, "b");
  EXPECT_EQ(set.nnodes(), 3U);
}

TEST(ResourceSet, summary_groups_like_nodes) {
  // The summary is what Flux puts into sched.resource_summary, group after group.
  struct Case {
    std::vector<ResourceSet::Node> nodes;
    std::string expected;
  };
  const std::vector<Case> cases = {
      {{{0, "a", {0, 1}, {}}}, "rank0/core[0-1]"},
      {{{3, "a", {0}, {}}}, "rank3/core0"},
      {{{0, "a", {0, 1, 2, 3}, {}}, {1, "b", {0, 1, 2, 3}, {}}}, "rank[0-1]/core[0-3]"},
      {{{0, "a", {0}, {0}}}, "rank0/core0,gpu0"},
      {{{0, "a", {}, {0, 2}}}, "rank0/gpu[0,2]"},
      {{{0, "a", {0, 1}, {}}, {1, "b", {0}, {1}}, {2, "c", {0, 1}, {}}},
       "rank[0,2]/core[0-1] rank1/core0,gpu1"},
      {{{0, "a", {}, {}}, {1, "b", {0}, {}}}, "rank1/core0"},
  };
  for (const Case& test : cases) {
    ResourceSet set;
    for (const auto& node : test.nodes) set.add(node);
    EXPECT_EQ(set.summary(), test.expected);
  }
}

TEST(ResourceSet, several_are_read_from_one_text) {
  // R objects may follow each other, on one line or on many; the one that is wrong is named by its number.
  const std::string one = read_set(small()).encode();
  const auto count = [](const std::string& text) { return ResourceSet::parse_several(text).size(); };
  EXPECT_EQ(count(""), 0U);
  EXPECT_EQ(count(one), 1U);
  EXPECT_EQ(count(one + one + "\n" + small().dump(2)), 3U);
  EXPECT_EQ(ResourceSet::parse_several(one + small().dump(2))[1], read_set(small()));
  const auto fault = [](const std::string& text) {
    return error_text([&] { return ResourceSet::parse_several(text).size(); });
  };
  EXPECT_EQ(fault("{}"), "R: missing key 'version'");
  EXPECT_EQ(fault(one + "{}"), "R object 2: missing key 'version'");
  EXPECT_EQ(fault(one + one + "{\"version\":1,"), "R object 3: line 1, column 14: not valid JSON");
  EXPECT_EQ(fault(one + " x"), "R object 2: line 1, column 1: not valid JSON");
}

TEST(ResourceSet, uniform_makes_nodes_that_are_alike) {
  // Ranks and hosts pair up in order; other counts, and more nodes than a set may have, are refused at once.
  EXPECT_EQ(ResourceSet::uniform({1, 5}, Hostlist::decode("b,a"), {0, 1}, {3}).encode(),
            R"({"version":1,"execution":{"R_lite":[{"rank":"1,5","children":{"core":"0-1","gpu":"3"}}],)"
            R"("starttime":0.0,"expiration":0.0,"nodelist":["b,a"]}})");
  EXPECT_TRUE(ResourceSet::uniform({}, {}, {0}, {}).empty());
  const auto fault = [](const Idset& ranks, const char* hosts) {
    return error_text([&] { return ResourceSet::uniform(ranks, Hostlist::decode(hosts), {0}, {}); });
  };
  EXPECT_EQ(fault({0, 1}, "a"), "expected one host for each of the 2 ranks, got 1");
  EXPECT_EQ(fault(Idset::decode("0-4294967295"), "a"),
            "4294967296 ranks are more than the 262144 nodes that a resource set may have");
}

TEST(ResourceSet, from_json_names_the_path_of_the_caller) {
  // A set inside a larger document is refused with its place there.
  json r = small();
  r["execution"]["R_lite"][0]["rank"] = "x";
  EXPECT_EQ(error_text([&] {
              return ResourceSet::from_json(JsonAt{r, "request.R"});
            }),
            "request.R.execution.R_lite[0].rank: invalid idset 'x': expected a number at character 1");
}

}  // namespace
}  // namespace fq::document
