#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "document/jobspec/jobspec.h"
#include "support/error_text.h"

namespace fq::document {
namespace {

using nlohmann::json;

/// A valid jobspec with `user` as the lines below `attributes: user:`.
std::string with_user(const std::string& user) {
  return R"(version: 1
resources:
  - {type: slot, count: 1, label: s, with: [{type: core, count: 1}]}
tasks:
  - command: [app]
    slot: s
    count: {per_slot: 1}
attributes:
  system:
    duration: 0
  user:
)" + user;
}

TEST(JobspecYaml, Types_scalars_as_the_core_schema_says) {
  // A plain scalar is null, a boolean, a number or text by its look; a quoted or tagged one by that.
  const std::pair<const char*, const char*> cases[] = {
      {"null", "null"},
      {"Null", "null"},
      {"~", "null"},
      {"", "null"},
      {"nul", "\"nul\""},
      {"true", "true"},
      {"False", "false"},
      {"TRUE", "true"},
      {"yes", "\"yes\""},
      {"off", "\"off\""},
      {"12", "12"},
      {"-12", "-12"},
      {"+12", "12"},
      {"0o17", "15"},
      {"0x1F", "31"},
      {"0b1", "\"0b1\""},
      {"012", "12"},
      {"1_000", "\"1_000\""},
      {"-0x1", "\"-0x1\""},
      {"0o8", "\"0o8\""},
      {"12:30", "\"12:30\""},
      {"18446744073709551615", "18446744073709551615"},
      {"18446744073709551616", "18446744073709551616.0"},
      {"-9223372036854775807", "-9223372036854775807"},
      {"3600.", "3600.0"},
      {".5", "0.5"},
      {"-1.5e3", "-1500.0"},
      {"1e3", "1000.0"},
      {"1e", "\"1e\""},
      {".", "\".\""},
      {"1.2.3", "\"1.2.3\""},
      {"nan", "\"nan\""},
      {"inf", "\"inf\""},
      {"-inf", "\"-inf\""},
      {"\"12\"", "\"12\""},
      {"'true'", "\"true\""},
      {"\"\"", "\"\""},
      {"!!str 12", "\"12\""},
      {"!!int 12", "12"},
      {"!!float 12", "12.0"},
      {"!!float 1.5", "1.5"},
      {"!!bool true", "true"},
      {"!!null ''", "null"},
      {"! 12", "\"12\""},
      {"[1, [a, {b: c}], {}]", R"([1,["a",{"b":"c"}],{}])"},
      {"!!seq [1]", "[1]"},
      {"!!map {a: 1}", R"({"a":1})"},
      {"{1: a, ~: b, true: c}", R"({"1":"a","null":"b","true":"c"})"},
      {"\"\\u0192\\n\"", "\"ƒ\\n\""},
  };
  for (const auto& [yaml, expected] : cases) {
    const Jobspec jobspec = Jobspec::from_yaml(with_user(std::string("    value: ") + yaml + "\n"));
    EXPECT_EQ(dump_json(*jobspec.attribute("user.value")), expected) << yaml;
  }
}

TEST(JobspecYaml, Writes_aliases_out) {
  // An alias stands for a copy of the value that its anchor names, as value or as key.
  const Jobspec jobspec =
      Jobspec::from_yaml(with_user("    a: &x {n: &y [1, &z k]}\n    b: *x\n    c: *y\n    d: {*z : 1}\n"));
  EXPECT_EQ(dump_json(*jobspec.attribute("user")),
            R"({"a":{"n":[1,"k"]},"b":{"n":[1,"k"]},"c":[1,"k"],"d":{"k":1}})");
}

TEST(JobspecYaml, Reads_multi_line_text_and_comments) {
  // Block scalars keep their lines; comments, a document start and an end are no part of the value.
  const Jobspec jobspec = Jobspec::from_yaml(
      "%YAML 1.2\n---\n" + with_user("    script: |  # a comment\n      #!/bin/sh\n      true\n") + "...\n");
  EXPECT_EQ(*jobspec.attribute("user.script"), "#!/bin/sh\ntrue\n");
}

TEST(JobspecYaml, Says_what_is_wrong_and_where) {
  // What is no YAML, or has no JSON form, is refused with line and column.
  std::string bomb = "    a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 9; ++i) {
    bomb += fmt::format("    a{0}: &a{0} [*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1}]\n", i,
                        i - 1);
  }
  const std::pair<std::string, const char*> cases[] = {
      {"", "jobspec: expected an object, got null"},
      {"# nothing\n", "jobspec: expected an object, got null"},
      {"- a\n", "jobspec: expected an object, got an array"},
      {"version: 1", "jobspec: missing key 'resources'"},
      {"a: b: c\n", "jobspec: line 1, column 5: not valid YAML: illegal map value"},
      {"a: [1\nb: 2", "jobspec: line 2, column 2: not valid YAML: end of sequence flow not found"},
      {"a: *nothing\n", "jobspec: line 1, column 4: not valid YAML: the referenced anchor is not defined"},
      {"a: 1\nb: 2\na: 3\n", "jobspec: line 3, column 1: the key 'a' is there twice"},
      {"? [a]\n: 1\n", "jobspec: line 1, column 3: expected a string as key, or a bracket is not closed"},
      {"[1, 2", "jobspec: line 1, column 1: expected a string as key, or a bracket is not closed"},
      {"a: &x [1]\n*x : 2\n", "jobspec: line 2, column 1: expected a string as key"},
      {"a: &x [1, *x]\n", "jobspec: line 1, column 11: an alias within the value that it names"},
      {"a: !!int x\n", "jobspec: line 1, column 4: 'x' is not of the type 'tag:yaml.org,2002:int'"},
      {"a: !foo x\n", "jobspec: line 1, column 4: 'x' is not of the type '!foo'"},
      {"a: !foo [x]\n", "jobspec: line 1, column 4: a sequence is not of the type '!foo'"},
      {"a: !foo {x: 1}\n", "jobspec: line 1, column 4: a mapping is not of the type '!foo'"},
      {"a: 1\n---\nb: 2\n", "jobspec: expected one YAML document, got more"},
      {with_user("    x: .inf\n"), "jobspec: attributes.user.x: expected a finite number"},
      {with_user("    x: [.nan]\n"), "jobspec: attributes.user.x[0]: expected a finite number"},
      {with_user("    x: 0x10000000000000000\n"), "jobspec: attributes.user.x: expected a finite number"},
      {with_user("    x: \"\\xff\"\n"), "no error"},
      {"a: " + std::string(200, '[') + std::string(200, ']'),
       "jobspec: line 1, column 131: nested more than 128 levels deep"},
      {with_user(bomb), "jobspec: line 17, column 9: the document is too large with its aliases written out"},
      {std::string(Jobspec::kMaxBytes + 1, '#'), "jobspec: 4194305 bytes are more than the 4194304 allowed"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(error_text([&] { return Jobspec::from_yaml(text); }), message) << text.substr(0, 400);
  }
}

}  // namespace
}  // namespace fq::document
