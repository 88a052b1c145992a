#include "document/resource/resource_set.h"

#include <ctime>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "document/resource/some_resource_sets.h"

namespace fq::document {
namespace {

using nlohmann::json;
using notation::Idset;
using test::read_set;
using test::refusal;
using test::small;

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

}  // namespace
}  // namespace fq::document
