#include "document/resource_set.h"

#include <ctime>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "support/error_text.h"
#include "support/test_data.h"

namespace fq::document {
namespace {

using nlohmann::json;
using notation::Hostlist;
using notation::Idset;

/// The R of a small inventory: four nodes of four cores, two of them with GPUs.
json small() {
  return json::parse(R"({"version":1,"execution":{
    "R_lite":[{"rank":"0-1","children":{"core":"0-3"}},{"rank":"2-3","children":{"core":"0-3","gpu":"0-1"}}],
    "nodelist":["node[0-3]"],"properties":{"batch":"0-2","debug":"3"}}})");
}

ResourceSet read_set(const json& r) {
  return ResourceSet::parse(r.dump());
}
std::string refusal(const json& r) {
  return error_text([&] { return read_set(r); });
}

std::string read_data(const std::string& name) {
  std::ifstream file{test_data(name)};
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ResourceSet, R20_1_version_must_be_1) {
  // A missing or other version is refused, and so is text that is no JSON object.
  json r = small();
  r.erase("version");
  EXPECT_EQ(refusal(r), "R: missing key 'version'");
  r["version"] = 2;
  EXPECT_EQ(refusal(r), "R: version: expected 1, got 2");
  r["version"] = "1";
  EXPECT_EQ(refusal(r), "R: version: expected an integer, got a string");
  EXPECT_EQ(error_text([] { return ResourceSet::parse("[]"); }), "R: expected an object, got an array");
  EXPECT_EQ(error_text([] { return ResourceSet::parse("{\"version\":1,"); }),
            "R: line 1, column 14: not valid JSON");
}

TEST(ResourceSet, R20_2_execution_is_required) {
  // An R without the dictionary execution is refused.
  json r = small();
  r["execution"] = "x";
  EXPECT_EQ(refusal(r), "R: execution: expected an object, got a string");
  r.erase("execution");
  EXPECT_EQ(refusal(r), "R: missing key 'execution'");
}

TEST(ResourceSet, R20_3_R_lite_entries_come_in_any_order) {
  // Nodes are ordered by rank, and get the hosts in that order, however R_lite is ordered.
  const ResourceSet set = ResourceSet::parse(R"({"version":1,"execution":{"nodelist":["a","b","c"],
    "R_lite":[{"rank":"7","children":{"core":"0"}},{"rank":"3,5","children":{"core":"1"}}]}})");
  std::string nodes;
  for (const auto& node : set.nodes()) {
    nodes += std::to_string(node.rank) + node.host + node.cores.encode() + ' ';
  }
  EXPECT_EQ(nodes, "3a1 5b1 7c0 ");

  json r = small();
  r["execution"].erase("R_lite");
  EXPECT_EQ(refusal(r), "R: execution: missing key 'R_lite'");
  r["execution"]["R_lite"] = json::object();
  EXPECT_EQ(refusal(r), "R: execution.R_lite: expected an array, got an object");
  r["execution"]["R_lite"] = json::array();
  EXPECT_EQ(refusal(r), "R: execution.R_lite: expected at least one entry");
  r["execution"]["R_lite"] = {1};
  EXPECT_EQ(refusal(r), "R: execution.R_lite[0]: expected an object, got an integer");
}

TEST(ResourceSet, R20_4_rank_is_an_idset_of_targets_named_once) {
  // A missing, malformed or empty rank and a rank in two entries are refused with the entry's path.
  json r = small();
  json& entry = r["execution"]["R_lite"][1];
  entry.erase("rank");
  EXPECT_EQ(refusal(r), "R: execution.R_lite[1]: missing key 'rank'");
  entry["rank"] = 2;
  EXPECT_EQ(refusal(r), "R: execution.R_lite[1].rank: expected a string, got an integer");
  entry["rank"] = "2-x";
  EXPECT_EQ(refusal(r), "R: execution.R_lite[1].rank: invalid idset '2-x': expected a number at character 3");
  entry["rank"] = "";
  EXPECT_EQ(refusal(r), "R: execution.R_lite[1].rank: expected at least one rank");
  entry["rank"] = "1,3";
  EXPECT_EQ(refusal(r), "R: execution.R_lite: rank 1 is in several entries");
  entry["rank"] = "2-4294967295";
  EXPECT_EQ(refusal(r), "R: execution.R_lite[1].rank: a resource set has at most 262144 nodes");
}

TEST(ResourceSet, R20_5_core_is_required) {
  // children must be there, with the idset core.
  json r = small();
  json& entry = r["execution"]["R_lite"][0];
  entry.erase("children");
  EXPECT_EQ(refusal(r), "R: execution.R_lite[0]: missing key 'children'");
  entry["children"] = {{"gpu", "0"}};
  EXPECT_EQ(refusal(r), "R: execution.R_lite[0].children: missing key 'core'");
  entry["children"] = {{"core", "3-1"}};
  EXPECT_EQ(refusal(r).substr(0, 58), "R: execution.R_lite[0].children.core: invalid idset '3-1':");
}

TEST(ResourceSet, R20_25_idsets_name_one_or_more) {
  // R_lite without entries, and a rank, core or gpu that is empty, are refused by their place.
  const auto refused = [](const std::string& pointer, const json& value) {
    json r = small();
    r[json::json_pointer("/execution/R_lite" + pointer)] = value;
    return refusal(r);
  };
  EXPECT_EQ(refused("", json::array()), "R: execution.R_lite: expected at least one entry");
  EXPECT_EQ(refused("/0/rank", ""), "R: execution.R_lite[0].rank: expected at least one rank");
  EXPECT_EQ(refused("/0/children/core", ""),
            "R: execution.R_lite[0].children.core: expected at least one core");
  EXPECT_EQ(refused("/1/children/gpu", ""), "R: execution.R_lite[1].children.gpu: expected at least one GPU");
}

TEST(ResourceSet, R20_6_gpu_is_optional_and_other_children_are_refused) {
  // Without gpu a node has none; a child that would be lost is refused by name.
  json r = small();
  EXPECT_EQ(read_set(r).find(0)->gpus, Idset{});
  EXPECT_EQ(read_set(r).find(2)->gpus, (Idset{0, 1}));
  EXPECT_EQ(read_set(r).ngpus(), 4U);
  r["execution"]["R_lite"][0]["children"]["gpus"] = "0";
  EXPECT_EQ(refusal(r), "R: execution.R_lite[0].children: unknown key 'gpus' (did you mean 'gpu'?)");
}

TEST(ResourceSet, R20_7_nodelist_entries_are_hosts_or_hostlists) {
  // Hosts and hostlists may be mixed; what is neither is refused with its place.
  json r = small();
  r["execution"]["nodelist"] = {"login", "node[8-9]", "gpu1"};
  EXPECT_EQ(read_set(r).nodelist(), "login,node[8-9],gpu1");
  r["execution"]["nodelist"] = {"login", "node[8-"};
  EXPECT_EQ(refusal(r).substr(0, 60), "R: execution.nodelist[1]: invalid hostlist 'node[8-': expect");
  r["execution"]["nodelist"] = {1};
  EXPECT_EQ(refusal(r), "R: execution.nodelist[0]: expected a string, got an integer");
  r["execution"].erase("nodelist");
  EXPECT_EQ(refusal(r), "R: execution: missing key 'nodelist'");
}

TEST(ResourceSet, R20_8_hosts_map_one_to_one_to_sorted_ranks) {
  // The number of entries in the two arrays is free, the number of hosts and ranks must agree.
  json r = small();
  EXPECT_EQ(read_set(r).find(3)->host, "node3");
  r["execution"]["nodelist"] = {"node[0-2]"};
  EXPECT_EQ(refusal(r), "R: execution.nodelist: expected one host for each of the 4 ranks, got 3");
  r["execution"]["nodelist"] = {"node[0-4]"};
  EXPECT_EQ(refusal(r), "R: execution.nodelist: expected one host for each of the 4 ranks, got 5");
  r["execution"]["nodelist"] = {"same", "same", "same", "other"};
  EXPECT_EQ(read_set(r).ranks_on("same"), (Idset{0, 1, 2}));
}

TEST(ResourceSet, R20_9_nslots_is_positive_where_present) {
  // An inventory has no nslots; an allocation's is greater than 0 and is written back.
  json r = small();
  EXPECT_EQ(read_set(r).nslots, 0U);
  EXPECT_EQ(read_set(r).encode().find("nslots"), std::string::npos);
  r["execution"]["nslots"] = 4;
  EXPECT_EQ(read_set(r).nslots, 4U);
  EXPECT_NE(read_set(r).encode().find("\"nslots\":4"), std::string::npos);
  r["execution"]["nslots"] = 0;
  EXPECT_EQ(refusal(r), "R: execution.nslots: expected an integer from 1 to 4294967295, got 0");
}

TEST(ResourceSet, R20_10_a_target_may_have_several_properties) {
  // A property maps to the ranks that have it; ranks outside of the set are refused.
  json r = small();
  r["execution"]["properties"]["fast"] = "1-3";
  const ResourceSet set = read_set(r);
  EXPECT_EQ(set.ranks_with("fast"), (Idset{1, 2, 3}));
  EXPECT_EQ(set.ranks_with("batch"), (Idset{0, 1, 2}));
  EXPECT_EQ(set.ranks_with("none"), Idset{});
  r["execution"]["properties"]["fast"] = "3-5";
  EXPECT_EQ(refusal(r), "R: execution.properties: property 'fast': ranks 4-5 are not in the resource set");
  r["execution"]["properties"]["fast"] = "4";
  EXPECT_EQ(refusal(r), "R: execution.properties: property 'fast': rank 4 is not in the resource set");
  r["execution"]["properties"]["fast"] = 3;
  EXPECT_EQ(refusal(r), "R: execution.properties: property 'fast': expected a string, got an integer");
  r["execution"]["properties"]["fast"] = "x";
  EXPECT_EQ(refusal(r),
            "R: execution.properties: property 'fast': invalid idset 'x': expected a number at character 1");
}

TEST(ResourceSet, R20_11_property_names_have_no_illegal_characters) {
  // Each of the ten characters is refused and named; other UTF-8 is fine.
  for (const char c : std::string_view{"!&'\"^`|()"}) {
    EXPECT_EQ(error_text([&] { return check_property_name(std::string{"a"} + c), 0; }).substr(0, 9),
              "property ")
        << c;
  }
  EXPECT_EQ(error_text([] { return check_property_name("a&b"), 0; }),
            "property 'a&b' has the illegal character '&'");
  EXPECT_EQ(error_text([] { return check_property_name(""), 0; }), "a property needs a name");
  EXPECT_EQ(error_text([] { return check_property_name("a\xff"), 0; }), "property 'a\\xff' is not UTF-8");
  EXPECT_EQ(error_text([] { return check_property_name("größe@gpu-2.x"), 0; }), "no error");
  json r = small();
  r["execution"]["properties"]["a|b"] = "0";
  EXPECT_EQ(refusal(r), "R: execution.properties: property 'a|b' has the illegal character '|'");
}

TEST(ResourceSet, R20_12_a_property_with_a_suffix_applies_with_and_without_it) {
  // amd-mi50@gpu makes amd-mi50@gpu and amd-mi50 hold; amd-mi and gpu do not, and nothing is added to R.
  json r = small();
  r["execution"]["properties"] = {{"amd-mi50@gpu", "2"}, {"amd-mi50@core", "1"}, {"amd-mi50", "0"}};
  const ResourceSet set = read_set(r);
  EXPECT_EQ(set.ranks_with("amd-mi50@gpu"), (Idset{2}));
  EXPECT_EQ(set.ranks_with("amd-mi50"), (Idset{0, 1, 2}));
  EXPECT_EQ(set.ranks_with("amd-mi"), Idset{});
  EXPECT_EQ(set.ranks_with("gpu"), Idset{});
  EXPECT_EQ(set.properties().size(), 3U);
}

TEST(ResourceSet, R20_13_zero_starttime_is_unset) {
  // starttime keeps microseconds; 0 and a missing key are the same; anything but a time is refused.
  json r = small();
  r["execution"]["starttime"] = 1676560542.123456;
  EXPECT_EQ(read_set(r).starttime, 1676560542.123456);
  EXPECT_EQ(ResourceSet::parse(read_set(r).encode()).starttime, 1676560542.123456);
  r["execution"]["starttime"] = 0.;
  EXPECT_EQ(read_set(r), read_set(small()));
  r["execution"]["starttime"] = -1;
  EXPECT_EQ(refusal(r),
            "R: execution: starttime -1 is not a time: expected seconds since the epoch, or 0 for unset");
  r["execution"]["starttime"] = "now";
  EXPECT_EQ(refusal(r), "R: execution.starttime: expected a number, got a string");
}

TEST(ResourceSet, R20_14_expiration_must_exceed_starttime) {
  // With both set, an expiration that is not after the start is refused; with one unset there is no order.
  json r = small();
  r["execution"]["starttime"] = 100.5;
  r["execution"]["expiration"] = 100.5;
  EXPECT_EQ(refusal(r), "R: execution: expiration 100.5 is not after starttime 100.5");
  r["execution"]["expiration"] = 100.6;
  EXPECT_EQ(read_set(r).expiration, 100.6);
  r["execution"]["expiration"] = 0;
  EXPECT_EQ(read_set(r).expiration, 0);
  r["execution"]["expiration"] = 50;
  r["execution"]["starttime"] = 0;
  EXPECT_EQ(read_set(r).expiration, 50);
}

TEST(ResourceSet, R20_15_unset_starttime_is_valid_until_expiration) {
  // Without a start the set is valid at any time up to its expiration.
  ResourceSet set;
  set.expiration = 100;
  EXPECT_TRUE(set.valid_at(0.5));
  EXPECT_TRUE(set.valid_at(100));
  EXPECT_FALSE(set.valid_at(100.5));
}

TEST(ResourceSet, R20_16_unset_expiration_has_no_end) {
  // Without an expiration the set is valid from its start for ever; without both, always.
  ResourceSet set;
  EXPECT_TRUE(set.valid_at(1e12));
  set.starttime = 100;
  EXPECT_FALSE(set.valid_at(99.9));
  EXPECT_TRUE(set.valid_at(100));
  EXPECT_TRUE(set.valid_at(1e12));
}

TEST(ResourceSet, R20_17_writer_defaults_to_fluxion) {
  // The writer is the URI in scheduling, and fluxion where there is none.
  json r = small();
  EXPECT_EQ(read_set(r).scheduling_writer(), "fluxion");
  r["scheduling"] = {{"graph", 1}};
  EXPECT_EQ(read_set(r).scheduling_writer(), "fluxion");
  r["scheduling"]["writer"] = "fq:easy";
  EXPECT_EQ(read_set(r).scheduling_writer(), "fq:easy");
  r["scheduling"]["writer"] = 5;
  EXPECT_EQ(refusal(r), "R: scheduling.writer: expected a string, got an integer");
  r["scheduling"] = 5;
  EXPECT_EQ(refusal(r), "R: scheduling: expected an object, got an integer");
}

TEST(ResourceSet, R20_18_scheduling_is_carried_along_untouched) {
  // Whatever is in scheduling comes out as it went in.
  json r = small();
  r["scheduling"] = json::parse(R"({"graph":{"nodes":[1,2.5,null,"ü"],"edges":[]},"writer":"fluxion:v1"})");
  EXPECT_EQ(json::parse(read_set(r).encode())["scheduling"], r["scheduling"]);
}

TEST(ResourceSet, unknown_keys_are_ignored) {
  // Keys that RFC 20 does not name neither disturb nor appear in what is written.
  json r = small();
  const std::string plain = read_set(r).encode();
  r["extra"] = 1;
  r["execution"]["extra"] = {1, 2};
  r["execution"]["R_lite"][0]["extra"] = "x";
  EXPECT_EQ(read_set(r).encode(), plain);
}

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
