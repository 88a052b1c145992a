// What is no jobspec, and where it is said to be wrong.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "document/jobspec/jobspec.h"
#include "document/jobspec/jobspec_example.h"
#include "support/error_text.h"

namespace fq::document {
namespace {

using nlohmann::json;

TEST(Jobspec, Says_what_is_wrong_and_where) {
  // Every rule of RFC 25 has its message, with the path of what breaks it.
  const std::string kNode = "/resources/0";
  const std::string kSlot = "/resources/0/with/0";
  const std::string kCore = "/resources/0/with/0/with/0";
  const std::string kTask = "/tasks/0";
  const std::string kSystem = "/attributes/system";
  const struct {
    std::string pointer, value, message;
  } cases[] = {
      {"/version", "", "missing key 'version'"},
      {"/version", "2", "version: expected 1, got 2"},
      {"/version", "\"1\"", "version: expected an integer, got a string"},
      {"/version", "1.0", "version: expected an integer, got a number"},

      {"/resources", "", "missing key 'resources'"},
      {"/resources", "{}", "resources: expected an array, got an object"},
      {"/resources", "[]", "resources: expected one resource, a 'node' or a 'slot', got 0"},
      {"/resources/1", "{}", "resources: expected one resource, a 'node' or a 'slot', got 2"},
      {kNode, "3", "resources[0]: expected an object, got an integer"},
      {kNode + "/type", "", "resources[0]: missing key 'type'"},
      {kNode + "/type", "7", "resources[0].type: expected a string, got an integer"},
      {kNode + "/type", "\"core\"", "resources[0].type: expected 'node' or 'slot', got 'core'"},
      {kNode + "/count", "", "resources[0]: missing key 'count'"},
      {kNode + "/count", "0", "resources[0].count: expected an integer from 1 to 4294967295, got 0"},
      {kNode + "/count", "-1", "resources[0].count: expected an integer from 1 to 4294967295, got -1"},
      {kNode + "/count", "4294967296",
       "resources[0].count: expected an integer from 1 to 4294967295, got 4294967296"},
      {kNode + "/count", "18446744073709551615", "resources[0].count: the integer is too large"},
      {kNode + "/count", "2.0", "resources[0].count: expected an integer, got a number"},
      {kNode + "/count", "true", "resources[0].count: expected an integer, got a boolean"},
      {kNode + "/count", "\"2-4\"",
       "resources[0].count: expected an integer, got a string (version 1 has no sets or ranges of counts)"},
      {kNode + "/count", "{\"min\":2}",
       "resources[0].count: expected an integer, got an object (version 1 has no sets or ranges of counts)"},
      {kNode + "/unit", "1", "resources[0].unit: expected a string, got an integer"},
      {kNode + "/exclusive", "1", "resources[0].exclusive: expected a boolean, got an integer"},
      {kNode + "/exlusive", "true", "resources[0]: unknown key 'exlusive' (did you mean 'exclusive'?)"},
      {kNode + "/label", "\"task\"", "resources[0].with[0].label: the label 'task' is used twice"},
      {kNode + "/with", "", "resources[0]: missing key 'with'"},
      {kNode + "/with", "{}", "resources[0].with: expected an array, got an object"},
      {kNode + "/with", "[]", "resources[0].with: expected one resource, a 'slot', got 0"},
      {kSlot + "/type", "\"socket\"", "resources[0].with[0].type: expected 'slot', got 'socket'"},
      {kSlot + "/label", "", "resources[0].with[0]: missing key 'label'"},
      {kSlot + "/label", "1", "resources[0].with[0].label: expected a string, got an integer"},
      {kSlot + "/count", "0", "resources[0].with[0].count: expected an integer from 1 to 4294967295, got 0"},
      {kSlot + "/count", "4000000000",
       "resources[0].with[0].count: 2 × 4000000000 slots are more than 4294967295"},
      {kSlot + "/with", "", "resources[0].with[0]: missing key 'with'"},
      {kSlot + "/with", "[]",
       "resources[0].with[0].with: expected a 'core' and perhaps a 'gpu', got 0 resources"},
      {kSlot + "/with/2", "{}",
       "resources[0].with[0].with: expected a 'core' and perhaps a 'gpu', got 3 resources"},
      {kSlot + "/with/0", "", "resources[0].with[0].with: expected a 'core', which every slot needs"},
      {kSlot + "/with/1/type", "\"core\"",
       "resources[0].with[0].with[1].type: a second 'core' in the same slot"},
      {kSlot + "/with/1/count", "0",
       "resources[0].with[0].with[1].count: expected an integer from 1 to 4294967295, got 0"},
      {kCore + "/type", "\"memory\"",
       "resources[0].with[0].with[0].type: expected 'core' or 'gpu', got 'memory'"},
      {kCore + "/with", "[]", "resources[0].with[0].with[0]: a 'core' has nothing below it in version 1"},
      {kCore + "/exclusive", "true", "resources[0].with[0].with[0]: unknown key 'exclusive'"},

      {"/tasks", "", "missing key 'tasks'"},
      {"/tasks", "{}", "tasks: expected an array, got an object"},
      {"/tasks", "[]", "tasks: expected one task, got 0"},
      {"/tasks/1", "{}", "tasks: expected one task, got 2"},
      {kTask, "[]", "tasks[0]: expected an object, got an array"},
      {kTask + "/distribution", "\"cyclic\"", "tasks[0]: unknown key 'distribution'"},
      {kTask + "/command", "", "tasks[0]: missing key 'command'"},
      {kTask + "/command", "\"app\"", "tasks[0].command: expected an array, got a string"},
      {kTask + "/command", "[]",
       "tasks[0].command: expected a program and its arguments, got an empty array"},
      {kTask + "/command", "[\"\"]", "tasks[0].command[0]: expected a program, got an empty string"},
      {kTask + "/command", "[\"app\", 1]", "tasks[0].command[1]: expected a string, got an integer"},
      {kTask + "/command", R"(["app", "a\u0000b"])", "tasks[0].command[1]: expected text without NUL bytes"},
      {kTask + "/slot", "", "tasks[0]: missing key 'slot'"},
      {kTask + "/slot", "0", "tasks[0].slot: expected a string, got an integer"},
      {kTask + "/slot", "\"other\"", "tasks[0].slot: expected the slot's label 'task', got 'other'"},
      {kTask + "/count", "", "tasks[0]: missing key 'count'"},
      {kTask + "/count", "6", "tasks[0].count: expected an object, got an integer"},
      {kTask + "/count", "{}", "tasks[0].count: expected one key, 'per_slot' or 'total'"},
      {kTask + "/count/total", "6", "tasks[0].count: expected one key, 'per_slot' or 'total'"},
      {kTask + "/count", "{\"per_node\":1}", "tasks[0].count: unknown key 'per_node'"},
      {kTask + "/count", R"({"per_resource":{"type":"node","count":1}})",
       "tasks[0].count.per_resource: version 1 has only 'per_slot' and 'total'"},
      {kTask + "/count/per_slot", "2",
       "tasks[0].count.per_slot: expected 1, all that version 1 allows, got 2"},
      {kTask + "/count/per_slot", "\"1\"", "tasks[0].count.per_slot: expected an integer, got a string"},
      {kTask + "/count", "{\"total\":0}",
       "tasks[0].count.total: expected an integer from 1 to 4294967295, got 0"},
      {kTask + "/count", "{\"total\":1}",
       "tasks[0].count.total: expected at least 2, a task for each node, got 1"},

      {"/attributes", "", "missing key 'attributes'"},
      {"/attributes", "null", "attributes: expected an object, got null"},
      {"/attributes", "[]", "attributes: expected an object, got an array"},
      {"/attributes/other", "{}", "attributes: unknown key 'other'"},
      {"/attributes/user", "7", "attributes.user: expected an object, got an integer"},
      {kSystem, "", "attributes: missing key 'system'"},
      {kSystem, "[]", "attributes.system: expected an object, got an array"},
      {kSystem + "/duration", "", "attributes.system: missing key 'duration'"},
      {kSystem + "/duration", "\"1h\"", "attributes.system.duration: expected a number, got a string"},
      {kSystem + "/duration", "-0.5", "attributes.system.duration: expected 0 or more seconds, got -0.5"},
      {kSystem + "/preemptible-after", "-1",
       "attributes.system.preemptible-after: expected 0 or more seconds, got -1"},
      {kSystem + "/cwd", "7", "attributes.system.cwd: expected a string, got an integer"},
      {kSystem + "/cwd", "\"work\"", "attributes.system.cwd: expected an absolute path, got 'work'"},
      {kSystem + "/queue", "7", "attributes.system.queue: expected a string, got an integer"},
      {kSystem + "/queue", "\"\"", "attributes.system.queue: expected a name, got an empty string"},
      {kSystem + "/bank", "[]", "attributes.system.bank: expected a string, got an array"},
      {kSystem + "/project", "null", "attributes.system.project: expected a string, got null"},
      {kSystem + "/qos", "1", "attributes.system.qos: expected a string, got an integer"},
      {kSystem + "/job", "7", "attributes.system.job: expected an object, got an integer"},
      {kSystem + "/job/name", "7", "attributes.system.job.name: expected a string, got an integer"},
      {kSystem + "/job/tag", "[]", "attributes.system.job.tag: expected a string, got an array"},
      {kSystem + "/job/name", R"("a\u0000")", "attributes.system.job.name: expected text without NUL bytes"},
      {kSystem + "/environment", "[]", "attributes.system.environment: expected an object, got an array"},
      {kSystem + "/environment/N", "1",
       "attributes.system.environment: expected a string for 'N', or null to unset it, got an integer"},
      {kSystem + "/environment/N", R"("a\u0000")",
       "attributes.system.environment: expected text without NUL bytes for 'N'"},
      {kSystem + "/environment/A=B", "\"\"",
       "attributes.system.environment: expected the name of an environment variable, got 'A=B'"},
      {kSystem + "/environment/", "\"\"",
       "attributes.system.environment: expected the name of an environment variable, got ''"},
      {kSystem + "/constraints", "[]", "attributes.system.constraints: expected an object, got an array"},
      {kSystem + "/dependencies", "{}", "attributes.system.dependencies: expected an array, got an object"},
      {kSystem + "/dependencies", "[]",
       "attributes.system.dependencies: expected at least one dependency, or no such key"},
      {kSystem + "/dependencies/0/scheme", "", "attributes.system.dependencies[0]: missing key 'scheme'"},
      {kSystem + "/dependencies/0/value", "1",
       "attributes.system.dependencies[0].value: expected a string, got an integer"},
      {kSystem + "/files", "[]", "attributes.system.files: expected an object, got an array"},
      {kSystem + "/shell", "[]", "attributes.system.shell: expected an object, got an array"},
      {kSystem + "/shell/options", "[]", "attributes.system.shell.options: expected an object, got an array"},
      {kSystem + "/shell/options/per-resource", "{}",
       "attributes.system.shell.options.per-resource: missing key 'type'"},
      {kSystem + "/shell/options/per-resource", R"({"type":"gpu"})",
       "attributes.system.shell.options.per-resource.type: expected 'node' or 'core', got 'gpu'"},
      {kSystem + "/shell/options/per-resource", R"({"type":"core","count":0})",
       "attributes.system.shell.options.per-resource.count: expected an integer from 1 to 4294967295, got 0"},
      {kSystem + "/shell/options/per-resource", R"({"type":"core","count":4294967295})",
       "attributes.system.shell.options.per-resource: 24 × 4294967295 tasks are more than 4294967295"},
  };
  for (const auto& [pointer, value, message] : cases) {
    const json document = changed(pointer, value);
    EXPECT_EQ(error_text([&] { return Jobspec::parse(document.dump()); }), "jobspec: " + message) << pointer;
    EXPECT_EQ(error_text([&] { return Jobspec::from_json(document); }), "jobspec: " + message) << pointer;
  }
}

TEST(Jobspec, Refuses_text_that_is_not_JSON_of_a_sane_size) {
  // What is no JSON, nests without end or is larger than any jobspec is refused in words.
  const std::pair<std::string, const char*> cases[] = {
      {"", "jobspec: line 1, column 1: not valid JSON"},
      {"{\n \"version\": 1,,", "jobspec: line 2, column 15: not valid JSON"},
      {"[]", "jobspec: expected an object, got an array"},
      {"null", "jobspec: expected an object, got null"},
      {std::string(1'000'000, '['), "jobspec: line 1, column 129: nested more than 128 levels deep"},
      {"{\"version\":1e999}", "jobspec: a number is too large"},
      {std::string(Jobspec::kMaxBytes + 1, ' '), "jobspec: 4194305 bytes are more than the 4194304 allowed"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(error_text([&] { return Jobspec::parse(text); }), message);
  }
}

TEST(Jobspec, Refuses_documents_that_JSON_text_cannot_hold) {
  // A document built by code must be writable: UTF-8, finite and not too deep.
  json document = json::parse(kExample);
  document["tasks"][0]["command"][1] = "caf\xe9";
  EXPECT_EQ(error_text([&] { return Jobspec::from_json(document); }),
            "jobspec: tasks[0].command[1]: expected UTF-8 text, got 'caf\\xe9'");
  document = json::parse(kExample);
  document["attributes"]["user"]["a"]["\xff"] = 1;
  EXPECT_EQ(error_text([&] { return Jobspec::from_json(document); }),
            "jobspec: attributes.user.a: expected a UTF-8 key, got '\\xff'");
  document = json::parse(kExample);
  document["attributes"]["user"]["x"] = {1, std::numeric_limits<double>::infinity()};
  EXPECT_EQ(error_text([&] { return Jobspec::from_json(document); }),
            "jobspec: attributes.user.x[1]: expected a finite number");
  document = json::parse(kExample);
  document["attributes"]["user"]["x"] = json::binary({1});
  EXPECT_EQ(error_text([&] { return Jobspec::from_json(document); }),
            "jobspec: attributes.user.x: expected a JSON value, got binary data");
  json deep = json::array();
  for (int i = 0; i < 130; ++i) deep = json::array({deep});
  document["attributes"]["user"] = {{"x", deep}};
  EXPECT_TRUE(
      error_text([&] { return Jobspec::from_json(document); }).ends_with("nested more than 128 levels deep"));
}

}  // namespace
}  // namespace fq::document
