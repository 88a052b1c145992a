#include "document/jobspec/taskmap.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include "notation/idset.h"
#include "support/error_text.h"

namespace fq::document {
namespace {

using nlohmann::json;

TEST(Taskmap, Has_the_test_vectors_of_RFC_34) {
  // Each raw map of the RFC encodes as the map beside it, and that one decodes back to the raw map.
  const std::pair<const char*, const char*> cases[] = {
      {"0", "[[0,1,1,1]]"},
      {"0;1", "[[0,2,1,1]]"},
      {"0-1", "[[0,1,2,1]]"},
      {"0-1;2-3", "[[0,2,2,1]]"},
      {"0,2;1,3", "[[0,2,1,2]]"},
      {"1;0", "[[1,1,1,1],[0,1,1,1]]"},
      {"0-3;4-7;8-11;12-15", "[[0,4,4,1]]"},
      {"0,4,8,12;1,5,9,13;2,6,10,14;3,7,11,15", "[[0,4,1,4]]"},
      {"0-1,8-9;2-3,10-11;4-5,12-13;6-7,14-15", "[[0,4,2,2]]"},
      {"0-1;2-3;4-5;6-7;8-11;12-15", "[[0,4,2,1],[4,2,4,1]]"},
      {"0,6;1,7;2,8;3,9;4,10,12,14;5,11,13,15", "[[0,6,1,2],[4,2,1,2]]"},
      {"14-15;12-13;10-11;8-9;4-7;0-3", "[[5,1,4,1],[4,1,4,1],[3,1,2,1],[2,1,2,1],[1,1,2,1],[0,1,2,1]]"},
      {"0-1;2-3;4-5;6-7;8-9;12-13;10-11;14-15", "[[0,5,2,1],[6,1,2,1],[5,1,2,1],[7,1,2,1]]"},
      {"12-15;8-11;4-7;0-3", "[[3,1,4,1],[2,1,4,1],[1,1,4,1],[0,1,4,1]]"},
  };
  for (const auto& [raw, map] : cases) {
    EXPECT_EQ(Taskmap::decode(raw).encode(), map);
    EXPECT_EQ(Taskmap::decode(map).encode_raw(), raw);
  }
}

TEST(Taskmap, Makes_the_distributions_of_RFC_34) {
  // Block and cyclic distributions over equal and unequal nodes have the RFC's maps, and the PMI maps it
  // compares.
  const std::vector<std::uint32_t> even(4, 4);
  const std::vector<std::uint32_t> uneven = {2, 2, 2, 2, 4, 4};
  const std::vector<std::uint32_t> large(4096, 256);
  EXPECT_EQ(Taskmap::block(even).encode(), "[[0,4,4,1]]");
  EXPECT_EQ(Taskmap::cyclic(even).encode(), "[[0,4,1,4]]");
  EXPECT_EQ(Taskmap::cyclic(even, 2).encode(), "[[0,4,2,2]]");
  EXPECT_EQ(Taskmap::block(uneven).encode(), "[[0,4,2,1],[4,2,4,1]]");
  EXPECT_EQ(Taskmap::cyclic(uneven).encode(), "[[0,6,1,2],[4,2,1,2]]");
  EXPECT_EQ(Taskmap::cyclic(uneven, 2).encode(), "[[0,6,2,1],[4,2,2,1]]");
  EXPECT_EQ(Taskmap::block(4096, 256).encode(), "[[0,4096,256,1]]");
  EXPECT_EQ(Taskmap::cyclic(large).encode(), "[[0,4096,1,256]]");
  EXPECT_EQ(Taskmap::cyclic(large, 2).encode(), "[[0,4096,2,128]]");
  EXPECT_EQ(Taskmap::block(even).encode_pmi(), "(vector,(0,4,4))");
  EXPECT_EQ(Taskmap::cyclic(even).encode_pmi(), "(vector,(0,4,1),(0,4,1),(0,4,1),(0,4,1))");
  EXPECT_EQ(Taskmap::cyclic(even, 2).encode_pmi(), "(vector,(0,4,2),(0,4,2))");
  EXPECT_EQ(Taskmap::block(uneven).encode_pmi(), "(vector,(0,4,2),(4,2,4))");
  EXPECT_EQ(Taskmap::cyclic(uneven).encode_pmi(), "(vector,(0,6,1),(0,6,1),(4,2,1),(4,2,1))");
  EXPECT_EQ(Taskmap::cyclic(uneven, 2).encode_pmi(), "(vector,(0,6,2),(4,2,2))");
  EXPECT_EQ(Taskmap::block(4096, 256).encode_pmi(), "(vector,(0,4096,256))");
  EXPECT_EQ(Taskmap::decode(R"({"version":1, "map":[[0,4096,256,1]]})").encode(), "[[0,4096,256,1]]");
}

TEST(Taskmap, Reads_every_form) {
  // The four forms of one map all decode to the same placement.
  for (const char* text :
       {"[[0,2,2,1]]", " [ [0, 2, 2, 1] ]\n", R"({"version":1,"map":[[0,2,2,1]]})", "0-1;2-3",
        "(vector,(0,2,2))", "(vector,(0,1,2),(1,1,2))", "[[0,1,1,2],[1,1,1,2]]"}) {
    EXPECT_EQ(Taskmap::decode(text).encode_raw(), "0-1;2-3") << text;
    EXPECT_TRUE(Taskmap::decode(text).same_placement(Taskmap::block(2, 2))) << text;
  }
  EXPECT_FALSE(Taskmap::decode("0;1").same_placement(Taskmap::decode("1;0")));
}

TEST(Taskmap, Knows_when_it_does_not_know) {
  // The map without blocks has no tasks and no nodes.
  for (const char* text : {"[]", R"({"version":1,"map":[]})", "(vector)"}) {
    const Taskmap map = Taskmap::decode(text);
    EXPECT_TRUE(map.unknown());
    EXPECT_EQ(map.nnodes() + map.ntasks(), 0U);
    EXPECT_EQ(map.encode() + map.encode_raw() + map.encode_pmi() + map.encode_multiline(), "[](vector)");
  }
}

TEST(Taskmap, Answers_for_tasks_and_nodes) {
  // A map with a node that has no task says where each task is and what each node has.
  const Taskmap map = Taskmap::decode("0,3;;1-2");
  EXPECT_EQ(map.nnodes(), 3U);
  EXPECT_EQ(map.ntasks(), 4U);
  EXPECT_EQ(map.node_of(2), 2U);
  EXPECT_EQ(map.node_of(3), 0U);
  EXPECT_EQ(map.tasks_on(0).encode(), "0,3");
  EXPECT_EQ(map.tasks_on(1).encode(), "");
  EXPECT_EQ(map.ntasks_on(2), 2U);
  EXPECT_EQ(map.tasks_per_node(), (std::vector<std::uint32_t>{2, 0, 2}));
  EXPECT_EQ(map.encode_multiline(), "0: 0\n1: 2\n2: 2\n3: 0\n");
  EXPECT_EQ(map.to_wrapped_json().dump(), R"({"map":[[0,1,1,1],[2,1,2,1],[0,1,1,1]],"version":1})");
  EXPECT_EQ(error_text([&] { return map.node_of(4); }), "there is no task 4, the job has 4");
  EXPECT_EQ(error_text([&] { return map.tasks_on(3); }), "there is no node 3, the job has 3");
  EXPECT_EQ(error_text([&] { return map.ntasks_on(3); }), "there is no node 3, the job has 3");
}

TEST(Taskmap, Says_what_is_wrong) {
  // Every malformed or oversized map has its message.
  const std::pair<const char*, const char*> cases[] = {
      {"", "taskmap: expected a task map, got an empty text"},
      {"[[0,4,4,1]", "taskmap: line 1, column 11: not valid JSON"},
      {"[0,4,4,1]", "taskmap: [0]: expected an array, got an integer"},
      {"[[0,4,4]]", "taskmap: [0]: expected [nodeid, nnodes, ppn, repeat], got 3 elements"},
      {"[[0,4,4,1],[-1,1,1,1]]", "taskmap: [1][0]: expected an integer from 0 to 4194304, got -1"},
      {"[[0,0,4,1]]", "taskmap: [0][1]: expected an integer from 1 to 4194304, got 0"},
      {"[[0,1,\"4\",1]]", "taskmap: [0][2]: expected an integer, got a string"},
      {"[[0,1,1,0]]", "taskmap: [0][3]: expected an integer from 1 to 4194304, got 0"},
      {"[[0,4194304,4194304,4194304]]", "taskmap: [0]: expected at most 4194304 tasks and nodes"},
      {"[[4194304,1,1,1]]", "taskmap: [0]: expected at most 4194304 tasks and nodes"},
      {"[[0,1,4194304,1],[0,1,1,1]]", "taskmap: [1]: expected at most 4194304 tasks and nodes"},
      {"{}", "taskmap: missing key 'version'"},
      {R"({"version":2,"map":[]})", "taskmap: version: expected 1, got 2"},
      {R"({"version":1})", "taskmap: missing key 'map'"},
      {R"({"version":1,"map":{}})", "taskmap: map: expected an array, got an object"},
      {"(vector", "taskmap: character 8: expected ',('"},
      {"(vector,(0,4)", "taskmap: character 13: expected ','"},
      {"(vector,(0,4,4)", "taskmap: character 16: expected ',('"},
      {"(vector,(0,x,4))", "taskmap: character 12: expected a number from 1 to 4194304"},
      {"(vector,(0,4,99999999999999999999))", "taskmap: character 14: expected a number from 1 to 4194304"},
      {"(vector,(0,4,4194304))", "taskmap: expected at most 4194304 tasks and nodes"},
      {"(vector,(0,4,4)) ;", "taskmap: character 17: expected the end"},
      {"vector", "taskmap: invalid idset 'vector': expected a number at character 1"},
      {"0;1;", "taskmap: the last node has no tasks"},
      {"0;2", "taskmap: task 2 is one of only 2: some task below it has no node"},
      {"0-1;1", "taskmap: task 1 is on node 0 and on node 1"},
      {"0-4294967295", "taskmap: expected at most 4194304 tasks and nodes"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(error_text([&] { return Taskmap::decode(text); }), message) << text;
  }
  EXPECT_EQ(error_text([] { return Taskmap::block(0, 4); }), "taskmap: expected at least one task");
  EXPECT_EQ(error_text([] { return Taskmap::block(4294967295U, 4294967295U); }),
            "taskmap: expected at most 4194304 tasks and nodes");
  EXPECT_EQ(error_text([] { return Taskmap::block(std::vector<std::uint32_t>{}); }),
            "taskmap: expected at least one task");
  EXPECT_EQ(error_text([] { return Taskmap::cyclic(std::vector<std::uint32_t>{1}, 0); }),
            "taskmap: expected a stride of 1 or more, got 0");
  EXPECT_EQ(error_text([] { return Taskmap::from_nodes(std::vector<std::uint32_t>{4194304}); }),
            "taskmap: expected at most 4194304 tasks and nodes");
}

TEST(Taskmap, Every_form_keeps_the_placement) {
  // For any placement of tasks on nodes: each form decodes to it, and the answers about tasks and nodes
  // agree.
  EXPECT_TRUE(rc::check([] {
    const auto nodes = *rc::gen::nonEmpty(
        rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 6)));
    const Taskmap map = Taskmap::from_nodes(nodes);
    RC_ASSERT(map.ntasks() == nodes.size());
    for (const std::string& text :
         {map.encode(), map.encode_raw(), map.encode_pmi(), map.to_wrapped_json().dump()}) {
      const Taskmap again = Taskmap::decode(text);
      RC_ASSERT(again.same_placement(map));
      for (std::uint32_t task = 0; task < nodes.size(); ++task) {
        RC_ASSERT(again.node_of(task) == nodes[task]);
        RC_ASSERT(again.tasks_on(nodes[task]).contains(task));
      }
      std::uint64_t sum = 0;
      for (std::uint32_t node = 0; node < again.nnodes(); ++node) {
        RC_ASSERT(again.tasks_on(node).count() == again.ntasks_on(node));
        RC_ASSERT(again.tasks_per_node()[node] == again.ntasks_on(node));
        sum += again.ntasks_on(node);
      }
      RC_ASSERT(sum == nodes.size());
    }
  }));
}

TEST(Taskmap, Cyclic_gives_each_node_its_share) {
  // For any shares and stride, a cyclic map gives every node as many tasks as asked, whatever the order.
  EXPECT_TRUE(rc::check([] {
    auto tasks = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 5));
    tasks.push_back(*rc::gen::inRange<std::uint32_t>(1, 5));
    RC_ASSERT(Taskmap::cyclic(tasks, *rc::gen::inRange<std::uint32_t>(1, 5)).tasks_per_node() == tasks);
    RC_ASSERT(Taskmap::block(tasks).tasks_per_node() == tasks);
  }));
}

}  // namespace
}  // namespace fq::document
