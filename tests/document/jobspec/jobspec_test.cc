#include "document/jobspec/jobspec.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include "base/file.h"
#include "base/json.h"
#include "document/jobspec/jobspec_example.h"
#include "support/error_text.h"
#include "support/test_data.h"

namespace fq::document {
namespace {

using nlohmann::json;

std::string rendered(const Jobspec& jobspec) {
  const ResourceCounts& counts = jobspec.counts();
  return fmt::format("nodes {} slots {} per node {} cores {} gpus {}{}; tasks {} cores {} gpus {}; {} for {}",
                     counts.nnodes, counts.nslots, counts.slots_per_node, counts.cores_per_slot,
                     counts.gpus_per_slot, counts.exclusive ? " exclusive" : "", jobspec.ntasks(),
                     jobspec.ncores(), jobspec.ngpus(), jobspec.name(), jobspec.duration());
}

TEST(Jobspec, Gives_every_field) {
  // All that the rest of fq asks of a jobspec can be read from one that has it all.
  const Jobspec jobspec = Jobspec::parse(kExample);
  EXPECT_EQ(rendered(jobspec),
            "nodes 2 slots 6 per node 3 cores 4 gpus 1; tasks 6 cores 24 gpus 6; hello for 3600");
  EXPECT_EQ(jobspec.command(), (std::vector<std::string>{"/bin/echo", "hello"}));
  EXPECT_EQ(jobspec.cwd(), "/home/user");
  EXPECT_EQ(jobspec.queue(), "batch");
  EXPECT_EQ(jobspec.bank(), "physics");
  EXPECT_EQ(jobspec.project(), "qcd");
  EXPECT_EQ(jobspec.qos(), "normal");
  EXPECT_TRUE(jobspec.has_explicit_name());
  EXPECT_EQ(dump_json(*jobspec.environment()), R"({"DISPLAY":null,"HOME":"/home/user"})");
  EXPECT_EQ(dump_json(*jobspec.dependencies()), R"([{"scheme":"afterok","value":"ƒ123"}])");
  EXPECT_EQ(dump_json(*jobspec.constraints()), R"({"properties":["batch"]})");
  EXPECT_EQ(dump_json(*jobspec.shell_options()), R"({"verbose":2})");
  EXPECT_EQ(jobspec.canonical(), json::parse(kExample).dump());
}

TEST(Jobspec, Leaves_out_what_is_not_there) {
  // Attributes that a minimal jobspec lacks are empty or null; its name is the program's.
  const Jobspec jobspec = Jobspec::parse(R"({"version":1,
    "resources":[{"type":"slot","count":1,"label":"s","with":[{"type":"core","count":1}]}],
    "tasks":[{"command":["/usr/bin/true"],"slot":"s","count":{"per_slot":1}}],
    "attributes":{"system":{"duration":0}}})");
  EXPECT_EQ(rendered(jobspec),
            "nodes 0 slots 1 per node 0 cores 1 gpus 0; tasks 1 cores 1 gpus 0; true for 0");
  EXPECT_EQ(jobspec.cwd() + jobspec.queue() + jobspec.bank() + jobspec.project() + jobspec.qos(), "");
  EXPECT_FALSE(jobspec.has_explicit_name());
  EXPECT_EQ(jobspec.environment(), nullptr);
  EXPECT_EQ(jobspec.dependencies(), nullptr);
  EXPECT_EQ(jobspec.constraints(), nullptr);
  EXPECT_EQ(jobspec.shell_options(), nullptr);
  EXPECT_EQ(jobspec.tasks_per_node(), 0U);
  EXPECT_EQ(jobspec.tasks_per_core(), 0U);
}

TEST(Jobspec, Names_the_job_after_its_program) {
  // Without a name the job takes the last part of its program's path, and the whole of it when that is empty.
  const std::pair<const char*, const char*> cases[] = {
      {"app", "app"}, {"./app", "app"}, {"/opt/x/app", "app"}, {"/opt/", "/opt/"}};
  for (const auto& [program, name] : cases) {
    json document = json::parse(kExample);
    document["tasks"][0]["command"] = {program};
    document["attributes"]["system"]["job"]["name"] = "";
    EXPECT_EQ(Jobspec::from_json(document).name(), name);
  }
}

TEST(Jobspec, Copies_share_one_document) {
  // Copies and moves keep what accessors point to; an update of one leaves the other alone.
  Jobspec a = Jobspec::parse(kExample);
  const Jobspec b = a;
  EXPECT_EQ(&a.json(), &b.json());
  a.apply_update({{"attributes.system.queue", "debug"}});
  EXPECT_EQ(b.queue(), "batch");
  Jobspec c = std::move(a);
  EXPECT_EQ(c.queue(), "debug");
  c = b;
  EXPECT_EQ(c.queue(), "batch");
}

TEST(Jobspec, Accepts_what_RFC_25_allows_beside_its_examples) {
  // Units, labels, exclusive, unknown attributes and unknown keys at the top are accepted and kept.
  const std::pair<const char*, const char*> cases[] = {
      {"/resources/0/exclusive", "true"},
      {"/resources/0/unit", "\"count\""},
      {"/resources/0/label", "\"mynode\""},
      {"/resources/0/with/0/exclusive", "true"},
      {"/resources/0/with/0/with/0/unit", "\"count\""},
      {"/attributes/user", R"({"anything":[1,{"a":null}]})"},
      {"/attributes/system/future", R"({"a":[true]})"},
      {"/attributes/system/duration", "0"},
      {"/attributes/system/duration", "0.25"},
      {"/attributes/system/preemptible-after", "60"},
      {"/attributes/system/files", R"({"script":{"mode":33216,"data":"#!/bin/sh\n"}})"},
      {"/x-comment", "\"kept\""},
  };
  for (const auto& [pointer, value] : cases) {
    const json document = changed(pointer, value);
    EXPECT_EQ(Jobspec::parse(document.dump()).json(), document) << pointer;
  }
}

TEST(Jobspec, Counts_tasks) {
  // The number of tasks follows the slots, the total, or the shell's per-resource option.
  const struct {
    const char* count;
    const char* per_resource;
    bool nodes;
    std::uint32_t ntasks;
  } cases[] = {
      {R"({"per_slot":1})", "", true, 6},
      {R"({"total":6})", "", true, 6},
      {R"({"total":100})", "", true, 100},
      {R"({"total":2})", "", true, 2},
      {R"({"per_slot":1})", R"({"type":"node"})", true, 2},
      {R"({"per_slot":1})", R"({"type":"node","count":5})", true, 10},
      {R"({"per_slot":1})", R"({"type":"core","count":2})", true, 48},
      {R"({"per_slot":1})", R"({"type":"node","count":5})", false, 5},
      {R"({"per_slot":1})", R"({"type":"core","count":2})", false, 24},
      {R"({"total":2})", "", false, 2},
  };
  for (const auto& [count, per_resource, nodes, ntasks] : cases) {
    json document = json::parse(kExample);
    document["tasks"][0]["count"] = json::parse(count);
    if (*per_resource != '\0') {
      document["attributes"]["system"]["shell"]["options"]["per-resource"] = json::parse(per_resource);
    }
    if (!nodes) document["resources"] = json(document["resources"][0]["with"]);
    EXPECT_EQ(Jobspec::from_json(document).ntasks(), ntasks) << count << per_resource;
  }
}

TEST(Jobspec, Counts_one_task_of_a_batch_job) {
  // The shell option `batch` comes before slots, totals and per-resource; it is a switch.
  const std::string kBatch = "/attributes/system/shell/options/batch";
  const json::json_pointer options{"/attributes/system/shell/options"};
  for (const char* value : {"1", "true"}) {
    json document = changed(kBatch, value);
    document[options]["per-resource"] = {{"type", "node"}, {"count", 3}};
    const Jobspec jobspec = Jobspec::from_json(document);
    EXPECT_TRUE(jobspec.batch()) << value;
    EXPECT_EQ(jobspec.ntasks(), 1U) << value;
  }
  const Jobspec plain = Jobspec::from_json(changed(kBatch, "false"));
  EXPECT_FALSE(plain.batch());
  EXPECT_GT(plain.ntasks(), 1U);
  EXPECT_EQ(error_text([&] { return Jobspec::from_json(changed(kBatch, "2")); }),
            "jobspec: attributes.system.shell.options.batch: expected an integer from 0 to 1, got 2");
}

TEST(Jobspec, Takes_what_the_flux_command_line_writes) {
  // A recorded jobspec of flux submit is accepted, counted and kept byte for byte as JSON.
  const std::string text = read_file(test_data("flux/jobspec.finished.json"));
  const Jobspec jobspec = Jobspec::parse(text);
  EXPECT_EQ(rendered(jobspec),
            "nodes 2 slots 4 per node 2 cores 2 gpus 0; tasks 4 cores 8 gpus 0; hello for 3600");
  EXPECT_EQ(jobspec.json(), json::parse(text));
  EXPECT_EQ(jobspec.queue(), "batch");

  // flux submit -N4 --exclusive
  const Jobspec whole = Jobspec::parse(R"({"resources":[{"type":"node","count":4,"exclusive":true,"with":[
    {"type":"slot","count":1,"with":[{"type":"core","count":1}],"label":"task"}]}],
    "tasks":[{"command":["hostname"],"slot":"task","count":{"per_slot":1}}],
    "attributes":{"system":{"duration":0,"shell":{"options":{"per-resource":{"type":"node","count":2}}}}},"version":1})");
  EXPECT_EQ(rendered(whole),
            "nodes 4 slots 4 per node 1 cores 1 gpus 0 exclusive; tasks 8 cores 4 gpus 0; hostname for 0");
}

TEST(Jobspec, Takes_every_example_of_RFC_25) {
  // The RFC's examples and use cases, in YAML, are all accepted and counted right.
  const std::pair<const char*, const char*> cases[] = {
      {"example1", "nodes 4 slots 4 per node 1 cores 2 gpus 0; tasks 4 cores 8 gpus 0; app for 3600"},
      {"use_case_1.1", "nodes 4 slots 4 per node 1 cores 1 gpus 0; tasks 4 cores 4 gpus 0; flux for 3600"},
      {"use_case_2.1",
       "nodes 4 slots 4 per node 1 cores 1 gpus 0; tasks 5 cores 4 gpus 0; hostname for 3600"},
      {"use_case_2.2",
       "nodes 0 slots 10 per node 0 cores 2 gpus 0; tasks 10 cores 20 gpus 0; myapp for 3600"},
      {"use_case_2.3",
       "nodes 0 slots 10 per node 0 cores 2 gpus 1; tasks 10 cores 20 gpus 10; myapp for 3600"},
      {"use_case_2.4",
       "nodes 4 slots 16 per node 4 cores 1 gpus 1; tasks 16 cores 16 gpus 16; myapp for 3600"},
  };
  for (const auto& [name, expected] : cases) {
    const std::string text = read_file(test_data(std::string("rfc25/") + name + ".yaml"));
    const Jobspec jobspec = Jobspec::from_yaml(text);
    EXPECT_EQ(rendered(jobspec), expected) << name;
    EXPECT_EQ(jobspec.cwd(), "/home/flux");
    EXPECT_EQ(Jobspec::parse(jobspec.canonical()).json(), jobspec.json());
  }
}

TEST(Jobspec, Refuses_by_path_what_only_RFC_14_can_say) {
  // The examples of RFC 14 are refused for their version; as version 1 each is counted, or refused where it
  // goes beyond RFC 25.
  const std::pair<const char*, const char*> cases[] = {
      {"example1", "nodes 4 slots 4 per node 1 cores 2 gpus 0; tasks 4 cores 8 gpus 0; app for 3600"},
      {"example2", "resources[0].with[0].type: expected 'core' or 'gpu', got 'node'"},
      {"use_case_1.1", "resources[0].with[0].type: expected 'core' or 'gpu', got 'node'"},
      {"use_case_1.2",
       "resources[0].count: expected an integer, got an object (version 1 has no sets or ranges of counts)"},
      {"use_case_1.3", "resources[0].with[0].type: expected 'core' or 'gpu', got 'node'"},
      {"use_case_1.4", "resources[0].with[0].type: expected 'core' or 'gpu', got 'node'"},
      {"use_case_1.5", "resources: expected one resource, a 'node' or a 'slot', got 2"},
      {"use_case_1.6", "resources[0].type: expected 'node' or 'slot', got 'cluster'"},
      {"use_case_1.7", "resources[0].type: expected 'node' or 'slot', got 'switch'"},
      {"use_case_1.8",
       "resources[0].count: expected an integer, got a string (version 1 has no sets or ranges of counts)"},
      {"use_case_2.1", "resources[0].with[0].type: expected 'core' or 'gpu', got 'node'"},
      {"use_case_2.2", "resources[0].with[0].type: expected 'core' or 'gpu', got 'node'"},
      {"use_case_2.3",
       "nodes 0 slots 10 per node 0 cores 2 gpus 0; tasks 10 cores 20 gpus 0; myapp for 3600"},
      {"use_case_2.4", "resources[0].with: expected one resource, a 'slot', got 2"},
      {"use_case_2.5", "resources[0].with[0].type: expected 'core' or 'gpu', got 'memory'"},
      {"use_case_2.6", "resources[0].with[0].type: expected 'core' or 'gpu', got 'node'"},
      {"use_case_2.7", "resources[0].with[0].type: expected 'core' or 'gpu', got 'node'"},
      {"use_case_2.8", "resources[0].with[0].type: expected 'core' or 'gpu', got 'node'"},
      {"use_case_2.9", "resources[0].with[0].type: expected 'core' or 'gpu', got 'node'"},
  };
  for (const auto& [name, expected] : cases) {
    std::string text = read_file(test_data(std::string("rfc14/") + name + ".yaml"));
    if (const std::size_t at = text.find("version: 999"); at != std::string::npos) {
      EXPECT_EQ(error_text([&] { return Jobspec::from_yaml(text); }),
                "jobspec: version: expected 1, got 999");
      text.replace(at, 12, "version: 1");
    }
    std::string answer;
    const std::string failure = error_text([&] {
      answer = rendered(Jobspec::from_yaml(text));
      return 0;
    });
    EXPECT_EQ(answer.empty() ? failure : "jobspec: " + answer, std::string("jobspec: ") + expected) << name;
  }
}

TEST(Jobspec, Finds_attributes_by_dotted_path) {
  // A path below `attributes` gives what is there, or nothing.
  const Jobspec jobspec = Jobspec::parse(kExample);
  EXPECT_EQ(jobspec.attribute("system.shell.options.verbose")->get<int>(), 2);
  EXPECT_EQ(jobspec.attribute("system.job.name")->get<std::string>(), "hello");
  for (const char* path : {"system.nothing", "user", "system.job.name.x", "", "system..job"}) {
    EXPECT_EQ(jobspec.attribute(path), nullptr) << path;
  }
}

TEST(Jobspec, R33_11_applies_updates_by_path) {
  // A jobspec-update replaces or adds what its dotted keys name, and the fields follow.
  Jobspec jobspec = Jobspec::parse(kExample);
  jobspec.apply_update({{"attributes.system.duration", 60},
                        {"attributes.system.queue", "debug"},
                        {"attributes.system.job.name", "renamed"},
                        {"attributes.user.a.b", true}});
  EXPECT_EQ(jobspec.duration(), 60);
  EXPECT_EQ(jobspec.queue(), "debug");
  EXPECT_EQ(jobspec.name(), "renamed");
  EXPECT_EQ(jobspec.attribute("user")->dump(), R"({"a":{"b":true}})");
  jobspec.apply_update({{"resources", json::parse(R"([{"type":"slot","count":9,"label":"task",
    "with":[{"type":"core","count":1}]}])")}});
  EXPECT_EQ(rendered(jobspec),
            "nodes 0 slots 9 per node 0 cores 1 gpus 0; tasks 9 cores 9 gpus 0; renamed for 60");
}

TEST(Jobspec, Refuses_updates_whole) {
  // An update that is malformed, or makes the jobspec invalid, says so and changes nothing.
  json deep = json::array();
  for (int i = 0; i < 127; ++i) deep = json::array({deep});
  const std::pair<json, const char*> cases[] = {
      {json::array(), "jobspec-update: expected an object, got an array"},
      {json::object(), "jobspec-update: expected at least one key, got none"},
      {{{"", 1}}, "jobspec-update: expected keys separated by single dots, got ''"},
      {{{"attributes..x", 1}}, "jobspec-update: expected keys separated by single dots, got 'attributes..x'"},
      {{{"resources.0.count", 1}}, "jobspec-update: resources.0.count: there is an array above the key '0'"},
      {{{"attributes.system.duration", "1h"}},
       "jobspec-update: attributes.system.duration: expected a number, got a string"},
      {{{"attributes.system.queue", "x"}, {"version", 2}}, "jobspec-update: version: expected 1, got 2"},
      {{{"attributes.user.x", "\xff"}},
       "jobspec-update: attributes.user.x: expected UTF-8 text, got '\\xff'"},
  };
  for (const auto& [context, message] : cases) {
    Jobspec jobspec = Jobspec::parse(kExample);
    EXPECT_EQ(error_text([&] { jobspec.apply_update(context); }), message);
    EXPECT_EQ(jobspec.json(), json::parse(kExample));
  }
  Jobspec jobspec = Jobspec::parse(kExample);
  EXPECT_TRUE(error_text([&] {
                jobspec.apply_update({{"attributes.user.x", deep}});
              }).ends_with("nested more than 128 levels deep"));
}

TEST(Jobspec, What_is_accepted_is_accepted_again) {
  // Any jobspec that is accepted prints as JSON text that is accepted and has the same document and counts;
  // any other is refused without harm.
  EXPECT_TRUE(rc::check([] {
    json document = json::parse(kExample);
    std::vector<json::json_pointer> places;
    const json flat = document.flatten();
    for (const auto& [pointer, value] : flat.items()) places.emplace_back(pointer);
    const json values[] = {0,
                           1,
                           2,
                           3,
                           4294967295,
                           -1,
                           1.5,
                           "task",
                           "core",
                           "node",
                           "",
                           true,
                           json(),
                           json::array(),
                           json::object()};
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
      const auto place = places[*rc::gen::inRange<std::size_t>(0, places.size())];
      document[place] = values[*rc::gen::inRange<std::size_t>(0, std::size(values))];
    }
    try {
      const Jobspec jobspec = Jobspec::from_json(document);
      const Jobspec again = Jobspec::parse(jobspec.canonical());
      RC_ASSERT(again.json() == document);
      RC_ASSERT(rendered(again) == rendered(jobspec));
      RC_ASSERT(jobspec.ntasks() > 0U);
      RC_ASSERT(jobspec.ncores() >= jobspec.counts().nslots);
    } catch (const Error& failure) {
      RC_ASSERT(failure.kind() == Kind::invalid);
      RC_ASSERT(std::string_view(failure.what()).starts_with("jobspec: "));
    }
  }));
}

}  // namespace
}  // namespace fq::document
