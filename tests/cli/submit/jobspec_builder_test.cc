#include "cli/submit/jobspec_builder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "cli/frame/run_tool.h"
#include "document/jobspec/jobspec.h"

namespace fq::cli {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

Surroundings sample_surroundings() {
  Surroundings surroundings;
  surroundings.cwd = "/home/user";
  surroundings.environment = {{"PATH", "/usr/bin:/bin"}, {"LANG", "C"}};
  surroundings.umask = 0027;
  surroundings.rlimits = {{"core", 0}, {"memlock", 64}, {"nofile", 1024}, {"stack", -1}};
  surroundings.home = "/home/user";
  surroundings.now = 1795257930;
  surroundings.read_file = [](const std::string& path) -> std::string {
    if (path == "x.json") return "{\"a\": [1, 2]}";
    if (path == "bad.json") return "{";
    throw error(Kind::not_found, "{}: No such file or directory", path);
  };
  return surroundings;
}

json build(Words arguments, Sizing sizing = Sizing::tasks, bool attached = false) {
  OptionParser parser{
      "fq-submit", "Submit.", {"COMMAND [ARG...]", 0, Operands::kUnlimited, /*options_first=*/true}};
  SubmitOptions options;
  options.attached = attached;
  add_submit_options(parser, options, sizing);
  options.command = parser.parse(std::move(arguments));
  return build_jobspec(options, sample_surroundings());
}

/// The part of the jobspec at `pointer` as compact JSON, or the error line.
std::string part(const std::string& pointer, Words arguments, Sizing sizing = Sizing::tasks,
                 bool attached = false) {
  arguments.emplace_back("true");
  try {
    const json jobspec = build(std::move(arguments), sizing, attached);
    static_cast<void>(document::Jobspec::from_json(jobspec));
    const json::json_pointer at{pointer};
    return jobspec.contains(at) ? dump_json(jobspec.at(at)) : "absent";
  } catch (const Error& failure) {
    EXPECT_EQ(exit_code(failure.kind()), 2) << failure.what();
    return error_line("fq-submit", failure);
  }
}

std::string system(const std::string& path, Words arguments) {
  return part("/attributes/system" + path, std::move(arguments));
}
std::string shell(const std::string& path, Words arguments, bool attached = false) {
  return part("/attributes/system/shell/options" + path, std::move(arguments), Sizing::tasks, attached);
}

/// `node(2,x)>slot(1)>core(1),gpu(2) count=…`
std::string shape(const Words& arguments, Sizing sizing = Sizing::tasks) {
  std::string resources = part("/resources/0", arguments, sizing);
  if (!resources.starts_with('{')) return resources;
  std::string out;
  json at = json::parse(resources);
  if (at["type"] == "node") {
    out += fmt::format("node({}{})>", at["count"].get<int>(), at.value("exclusive", false) ? ",x" : "");
    at = json(at["with"][0]);
  }
  out += fmt::format("slot({})>", at["count"].get<int>());
  for (const json& each : at["with"]) {
    out += fmt::format("{}({}),", each["type"].get<std::string>(), each["count"].get<int>());
  }
  out.back() = ' ';
  out += part("/tasks/0/count", arguments, sizing);
  const std::string per = part("/attributes/system/shell/options/per-resource", arguments, sizing);
  return per == "absent" ? out : out + " " + per;
}

TEST(JobspecBuilder, makes_the_jobspec_that_flux_makes) {
  // The whole document for the job `hello` of the recorded session; umask is fq's own.
  const json jobspec =
      build({"-q", "batch", "-N2", "-n4", "-c2", "--job-name=hello", "--env-remove=*", "--env=PATH", "sh",
             "-c", "echo hello from $FLUX_TASK_RANK on $(hostname); exit 0"});
  const json expected = json::parse(
      R"({"resources": [{"type": "node", "count": 2, "with": [{"type": "slot", "count": 2, "with": [{"type": "core",
      "count": 2}], "label": "task"}]}], "tasks": [{"command": ["sh", "-c",
      "echo hello from $FLUX_TASK_RANK on $(hostname); exit 0"], "slot": "task", "count": {"per_slot": 1}}],
      "attributes": {"system": {"duration": 0, "environment": {"PATH": "/usr/bin:/bin"}, "cwd": "/home/user", "job":
      {"name": "hello"}, "queue": "batch", "shell": {"options": {"rlimit": {"core": 0, "nofile": 1024, "stack": -1},
      "umask": "0027"}}}}, "version": 1})");
  EXPECT_EQ(jobspec, expected) << dump_json(jobspec);
  EXPECT_NO_THROW(static_cast<void>(document::Jobspec::from_json(jobspec)));
}

TEST(JobspecBuilder, shapes_resources) {
  // Counts per task, per node and per resource become slots as Flux makes them.
  struct Case {
    Words arguments;
    std::string expected;
  };
  const Case cases[] = {
      {{}, R"(slot(1)>core(1) {"per_slot":1})"},
      {{"-n4", "-c2", "-g1"}, R"(slot(4)>core(2),gpu(1) {"per_slot":1})"},
      {{"-g0"}, R"(slot(1)>core(1) {"per_slot":1})"},
      {{"-N2", "-n4"}, R"(node(2)>slot(2)>core(1) {"per_slot":1})"},
      {{"-N2", "-n5"}, R"(node(2)>slot(3)>core(1) {"total":5})"},
      {{"-N3"}, R"(node(3,x)>slot(1)>core(1) {"per_slot":1})"},
      {{"-N3", "-c4", "-g2"}, R"(node(3,x)>slot(1)>core(4),gpu(2) {"per_slot":1})"},
      {{"-N2", "-n2", "-x"}, R"(node(2,x)>slot(1)>core(1) {"per_slot":1})"},
      {{"--cores=4"}, R"(slot(4)>core(1) {"per_slot":1})"},
      {{"--cores=4", "--tasks-per-core=2"}, R"(slot(4)>core(1) {"per_slot":1} {"count":2,"type":"core"})"},
      {{"-N2", "--cores=8"}, R"(node(2)>slot(1)>core(4) {"per_slot":1})"},
      {{"-N2", "--cores=8", "-x", "--gpus-per-node=1"}, R"(node(2,x)>slot(1)>core(4),gpu(1) {"per_slot":1})"},
      {{"-N2", "--tasks-per-node=3"},
       R"(node(2,x)>slot(1)>core(1) {"per_slot":1} {"count":3,"type":"node"})"},
      {{"-N2", "--gpus-per-node=4"}, R"(node(2,x)>slot(1)>core(1),gpu(4) {"per_slot":1})"},
  };
  for (const Case& each : cases) EXPECT_EQ(shape(each.arguments), each.expected);
  EXPECT_EQ(shape({"-n4", "-c2"}, Sizing::slots), R"(slot(4)>core(2) {"per_slot":1})");
  EXPECT_EQ(shape({"-N2"}, Sizing::slots), R"(node(2,x)>slot(1)>core(1) {"per_slot":1})");
  EXPECT_EQ(shape({}, Sizing::slots),
            "fq-submit: --nslots or --nodes is missing (-n1 for one slot of a core, here or in the script: # "
            "fq: -n1)\n");
  EXPECT_EQ(shape({"-N2", "-n1"}, Sizing::slots),
            "fq-submit: --nodes=2: more nodes than slots (--nslots=1)\n");
  EXPECT_EQ(shape({"-n1", "--cores-per-slot=0"}, Sizing::slots),
            "fq-submit: --cores-per-slot: expected a whole number from 1 to 2147483647, got '0'\n");
}

TEST(JobspecBuilder, refuses_sizes_that_make_no_sense) {
  // One line names the options at odds, or the value that does not fit.
  struct Case {
    Words arguments;
    std::string expected;
  };
  const Case cases[] = {
      {{"-n0"}, "--ntasks: expected a whole number from 1 to 2147483647, got '0'"},
      {{"-n", "-1"}, "--ntasks: expected a whole number from 1 to 2147483647, got '-1'"},
      {{"-c", "x"}, "--cores-per-task: expected a whole number from 1 to 2147483647, got 'x'"},
      {{"-n", "1.5"}, "--ntasks: expected a whole number from 1 to 2147483647, got '1.5'"},
      {{"-n", ""}, "--ntasks: expected a whole number from 1 to 2147483647, got ''"},
      {{"-g", "-1"}, "--gpus-per-task: expected a whole number from 0 to 2147483647, got '-1'"},
      {{"-N99999999999999999999"},
       "--nodes: expected a whole number from 1 to 2147483647, got '99999999999999999999'"},
      {{"-N4", "-n2"}, "--nodes=4: more nodes than tasks (--ntasks=2)"},
      {{"-x"}, "--exclusive needs --nodes"},
      {{"-x", "--cores=2"}, "--exclusive needs --nodes"},
      {{"-c2", "--cores=4"}, "--cores-per-task cannot be used with --cores"},
      {{"-n2", "-N2", "--tasks-per-node=4"}, "--ntasks cannot be used with --tasks-per-node"},
      {{"-N2", "-g1", "--gpus-per-node=4"}, "--gpus-per-task cannot be used with --gpus-per-node"},
      {{"-N2", "--tasks-per-node=1", "--tasks-per-core=1"},
       "--tasks-per-core cannot be used with --tasks-per-node"},
      {{"--tasks-per-node=1"}, "--tasks-per-node needs --nodes or --cores"},
      {{"--gpus-per-node=1"}, "--gpus-per-node needs --nodes"},
      {{"--cores=4", "--gpus-per-node=1"}, "--gpus-per-node needs --nodes"},
      {{"-N2", "--cores=5"}, "--cores=5: cannot be divided among 2 nodes"},
  };
  for (const Case& each : cases) EXPECT_EQ(shape(each.arguments), "fq-submit: " + each.expected + "\n");
}

TEST(JobspecBuilder, R33_36_leaves_the_queue_unset_unless_one_is_named) {
  // Without -q the jobspec has no queue; the default is the store's to assign.
  EXPECT_EQ(system("/queue", {}), "absent");
  EXPECT_EQ(system("/queue", {"-q", "debug"}), "\"debug\"");
}

TEST(JobspecBuilder, sets_attributes) {
  // Queue, bank, QoS, name, limit, directory and -S land below attributes.system; -S wins.
  EXPECT_EQ(system("/bank", {"-B", "A"}), "\"A\"");
  EXPECT_EQ(system("/qos", {"--qos=standby"}), "\"standby\"");
  EXPECT_EQ(system("/job/name", {"--job-name=x y"}), "\"x y\"");
  EXPECT_EQ(system("/duration", {}), "0.0");
  EXPECT_EQ(system("/duration", {"-t5"}), "300.0");
  EXPECT_EQ(system("/duration", {"-t5s"}), "5.0");
  EXPECT_EQ(system("/duration", {"-t1.5h"}), "5400.0");
  EXPECT_EQ(system("/duration", {"-t1h", "-Sduration=10"}), "10");
  EXPECT_EQ(system("/cwd", {}), "\"/home/user\"");
  EXPECT_EQ(system("/cwd", {"--cwd=/tmp"}), "\"/tmp\"");
  EXPECT_EQ(system("/cwd", {"--cwd=sub/dir"}), "\"/home/user/sub/dir\"");
  EXPECT_EQ(system("/a", {"-Sa"}), "1");
  EXPECT_EQ(system("/a", {"-Sa.b.c=true", "-S", "system.a.d=text"}), R"({"b":{"c":true},"d":"text"})");
  EXPECT_EQ(system("/a", {"-Sa=[1,{\"x\":null}]"}), R"([1,{"x":null}])");
  EXPECT_EQ(system("/a", {"-Sa=[1,"}), "\"[1,\"");
  EXPECT_EQ(system("/a", {"-Sa="}), "\"\"");
  EXPECT_EQ(system("/a", {"-S^a=x.json"}), R"({"a":[1,2]})");
  EXPECT_EQ(part("/attributes/user", {"-Suser.x=1", "-S.user.y=2", "-Sattributes.user.z=3"}),
            R"({"x":1,"y":2,"z":3})");
  for (const char* none : {"0", "0s", "inf", "infinity"}) {
    EXPECT_EQ(system("/duration", {"-t", none}) + system("/unlimited", {"-t", none}), "0.0true") << none;
  }
  EXPECT_EQ(system("/duration", {"-Sduration=0"}) + system("/unlimited", {"-Sduration=0"}), "0true");
  EXPECT_EQ(system("/unlimited", {"-t", "1"}) + system("/unlimited", {}), "absentabsent");
  EXPECT_EQ(
      system("", {"-t", "1e400"}),
      "fq-submit: --time-limit: invalid duration '1e400': too large, write inf for a duration without end\n");
  EXPECT_EQ(system("", {"-t", "-5"}),
            "fq-submit: --time-limit: invalid duration '-5': a duration cannot be negative\n");
  EXPECT_EQ(system("", {"-q\xff"}), "fq-submit: --queue: '\\xff' is not valid UTF-8\n");
  EXPECT_EQ(
      system("", {"-Sa", "-Sa.b=1"}),
      "fq-submit: --setattr: 'attributes.system.a.b': 'attributes.system.a' is an integer, not an object\n");
  EXPECT_EQ(system("", {"-Sa..b=1"}),
            "fq-submit: --setattr: 'attributes.system.a..b': part of the key is empty\n");
  EXPECT_EQ(system("", {"-S=1"}), "fq-submit: --setattr: '=1': the key is missing\n");
  EXPECT_EQ(system("", {"-S^a"}), "fq-submit: --setattr: '^a': the file is missing: ^KEY=FILE\n");
  EXPECT_EQ(system("", {"-S^a=no.json"}), "fq-submit: --setattr: no.json: No such file or directory\n");
  EXPECT_EQ(system("", {"-S^a=bad.json"}),
            "fq-submit: --setattr: bad.json: line 1, column 2: not valid JSON\n");
}

TEST(JobspecBuilder, sets_dependencies_and_constraints) {
  // --dependency and --begin-time append in their order; several --requires are joined.
  EXPECT_EQ(system("/dependencies", {}), "absent");
  EXPECT_EQ(system("/dependencies", {"--dependency=afterok:f25jAcZD", "--begin-time=+1h",
                                     "--dependency=singleton", "--job-name=s"}),
            R"([{"scheme":"afterok","value":"ƒ25jAcZD"},{"scheme":"begin-time","value":"1795261530"},)"
            R"({"scheme":"singleton","value":""}])");
  EXPECT_EQ(system("/constraints", {"--requires=gpu"}), R"({"properties":["gpu"]})");
  EXPECT_EQ(system("/constraints", {"--requires=a|b", "--requires=host:n1"}),
            R"({"and":[{"or":[{"properties":["a"]},{"properties":["b"]}]},{"hostlist":["n1"]}]})");
  EXPECT_EQ(system("/constraints", {"--requires= "}), "absent");
  EXPECT_TRUE(
      system("", {"--dependency=afterok:"}).starts_with("fq-submit: --dependency: dependency 'afterok:'"));
  EXPECT_TRUE(system("", {"--begin-time=soon"}).starts_with("fq-submit: --begin-time: "));
  EXPECT_TRUE(system("", {"--requires=a and"}).starts_with("fq-submit: --requires: constraint 'a and': "));
}

TEST(JobspecBuilder, sets_shell_options) {
  // I/O, limits, signal and -o land below shell.options in Flux's forms.
  EXPECT_EQ(shell("/output", {}), "absent");
  EXPECT_EQ(shell("/output", {"--output=o-{{id}}", "-l"}),
            R"({"stdout":{"label":true,"path":"o-{{id}}","type":"file"}})");
  EXPECT_EQ(shell("/output", {"--output=o", "--error=e"}),
            R"({"stderr":{"path":"e","type":"file"},"stdout":{"path":"o","type":"file"}})");
  EXPECT_EQ(shell("/output", {"--output=kvs", "--error=none"}), "absent");
  EXPECT_EQ(shell("/output", {"--output=o", "--error=kvs"}),
            R"({"stderr":{"type":"kvs"},"stdout":{"path":"o","type":"file"}})");
  EXPECT_EQ(
      shell("/output", {"-u"}),
      R"({"batch-timeout":0.05,"stderr":{"buffer":{"type":"none"}},"stdout":{"buffer":{"type":"none"}}})");
  EXPECT_EQ(shell("/input", {"--input=data.txt"}), R"({"stdin":{"path":"data.txt","type":"file"}})");
  EXPECT_EQ(shell("/input", {}, true), R"({"stdin":{"ranks":"all","type":"service"}})");
  EXPECT_EQ(shell("/input", {"-n2", "--input=0-1"}, true), R"({"stdin":{"ranks":"0-1","type":"service"}})");
  EXPECT_EQ(shell("/input", {"--input=f"}, true), R"({"stdin":{"path":"f","type":"file"}})");
  EXPECT_EQ(shell("/input", {"--input=3"}),
            "fq-submit: --input: '3' names tasks, which takes a command that stays with the job ('./3' is a "
            "file)\n");
  EXPECT_EQ(shell("/signal", {"--signal=USR2@30s"}), R"({"signum":12,"timeleft":30.0})");
  EXPECT_EQ(shell("/signal", {"--signal=SIGTERM"}), R"({"signum":15,"timeleft":60.0})");
  EXPECT_EQ(shell("/signal", {"--signal=@2m"}), R"({"signum":10,"timeleft":120.0})");
  EXPECT_EQ(shell("/signal", {"--signal=9@5"}), R"({"signum":9,"timeleft":5.0})");
  EXPECT_EQ(shell("", {"--signal=TERN"}),
            "fq-submit: --signal: 'TERN' is not a signal (did you mean 'TERM'?)\n");
  EXPECT_EQ(shell("", {"--signal=0"}), "fq-submit: --signal: '0' is not a signal: expected 1 to 64\n");
  EXPECT_EQ(shell("", {"--signal=@inf"}), "fq-submit: --signal: 'inf' is not a time before the limit\n");
  EXPECT_EQ(shell("/exit-on-error", {"-oexit-on-error"}), "1");
  EXPECT_EQ(shell("/cpu-affinity", {"-ocpu-affinity=per-task"}), "\"per-task\"");
  EXPECT_EQ(shell("/output/mode", {"--output=f", "-ooutput.mode=append"}), "\"append\"");
  EXPECT_EQ(shell("", {"-o=1"}), "fq-submit: --setopt: '=1': the key is missing\n");
  EXPECT_EQ(shell("", {"--output="}), "fq-submit: --output: expected the name of a file, got ''\n");
  EXPECT_EQ(shell("", {"--input="}), "fq-submit: --input: expected the name of a file, got ''\n");
  EXPECT_EQ(shell("/env-expand", {"--env=D={{tmpdir}}/x"}), R"({"D":"{{tmpdir}}/x"})");
  EXPECT_EQ(shell("/rlimit", {"--rlimit=-*,core=unlimited"}), R"({"core":-1})");
  EXPECT_EQ(shell("/rlimit", {"--rlimit=-*"}), "absent");
  EXPECT_EQ(shell("/umask", {}), "\"0027\"");
}

TEST(JobspecBuilder, refuses_shell_options_that_the_shell_does_not_know) {
  // A name that is none has a near match, a value that is none says what would be one.
  EXPECT_EQ(shell("", {"-ooutpt.limit=4"}),
            "fq-submit: --setopt: unknown shell option 'outpt' (did you mean 'output.limit'?)\n");
  EXPECT_EQ(shell("", {"-ononsense"}), "fq-submit: --setopt: unknown shell option 'nonsense'\n");
  EXPECT_EQ(shell("", {"-ocpu-afinity=off"}),
            "fq-submit: --setopt: unknown shell option 'cpu-afinity' (did you mean 'cpu-affinity'?)\n");
  EXPECT_EQ(shell("", {"-ooutput.mod=append"}),
            "fq-submit: --setopt: unknown shell option 'output.mod' (did you mean 'output.mode'?)\n");
  EXPECT_EQ(shell("", {"-ooutput=append"}),
            "fq-submit: --setopt: shell option 'output' is a group of options, got a string\n");
  EXPECT_EQ(shell("", {"-onosetpgrp.x=1"}), "fq-submit: --setopt: nosetpgrp: expected true or false\n");
  EXPECT_EQ(shell("", {"-ocpu-affinity=bogus"}),
            "fq-submit: --setopt: cpu-affinity: expected on, off, per-task or map:LIST, got 'bogus'\n");
  EXPECT_EQ(shell("", {"-ooutput.mode=apend"}),
            "fq-submit: --setopt: output.mode: expected truncate or append, got 'apend' (did you mean "
            "'append'?)\n");
  EXPECT_EQ(shell("", {"-oexit-timeout=x"}),
            "fq-submit: --setopt: exit-timeout: invalid duration 'x': expected a number with one of the "
            "units ms, s, m, h or d, or inf\n");
  EXPECT_EQ(shell("/exit-timeout", {"-oexit-timeout=none"}), "\"none\"");
  EXPECT_EQ(shell("/signal", {"-osignal.signum=10"}), R"({"signum":10})");
  EXPECT_EQ(shell("/rlimit/core", {"-orlimit.core=7"}), "7");
}

TEST(JobspecBuilder, takes_a_script_along) {
  // The script is a file of the jobspec, which the job's directory has as an executable; it runs once.
  SubmitOptions options;
  options.sizing = Sizing::slots;
  options.ntasks = "4";
  options.script = "#!/bin/sh\necho \"x\"\n";
  options.command = {std::string{kBatchScript}, "a b"};
  const json jobspec = build_jobspec(options, sample_surroundings());
  EXPECT_EQ(dump_json(jobspec["attributes"]["system"]["files"]),
            R"({"script":{"data":"#!/bin/sh\necho \"x\"\n","encoding":"utf-8","mode":33216}})");
  EXPECT_EQ(dump_json(jobspec["tasks"]),
            R"([{"command":["{{tmpdir}}/script","a b"],"count":{"per_slot":1},"slot":"task"}])");
  const auto read = document::Jobspec::from_json(jobspec);
  EXPECT_EQ(read.ntasks(), 1U);
  EXPECT_EQ(read.counts().nslots, 4U);
}

TEST(JobspecBuilder, tells_a_copy_its_number) {
  // With a copy number the environment has FLUX_JOB_CC.
  SubmitOptions options;
  options.command = {"true"};
  EXPECT_EQ(
      dump_json(build_jobspec(options, sample_surroundings(), 7)["attributes"]["system"]["environment"]),
      R"({"FLUX_JOB_CC":"7","LANG":"C","PATH":"/usr/bin:/bin"})");
}

TEST(JobspecBuilder, refuses_commands_that_a_jobspec_cannot_carry) {
  // A missing command, an empty one, and bytes that are not UTF-8.
  const auto failure = [](Words command) -> std::string {
    SubmitOptions options;
    options.command = std::move(command);
    try {
      static_cast<void>(build_jobspec(options, sample_surroundings()));
      return "none";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(failure({}), "the command to run is missing");
  EXPECT_EQ(failure({""}), "the command to run is empty");
  EXPECT_EQ(failure({"echo", "\xff"}), "'\\xff' is not valid UTF-8, which a jobspec cannot carry");
  EXPECT_EQ(failure({"echo", ""}), "none");
}

}  // namespace
}  // namespace fq::cli
