#include "document/jobspec/shell_options.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/test_job.h"

namespace fq::document {
namespace {

using nlohmann::json;

ShellOptions parse(const json& options) {
  TestJob job;
  job.options = options;
  return parse_shell_options(document::Jobspec::parse(job.jobspec()));
}

TEST(ShellOptions, defaults_are_fluxs) {
  // Without options: all cores and GPUs, output to the log, stdout by lines and stderr at once.
  const ShellOptions options = parse(json::object());
  EXPECT_EQ(options.cpu_affinity.mode, AffinityOption::Mode::on);
  EXPECT_TRUE(options.out.path.empty());
  EXPECT_TRUE(options.out.line_buffered);
  EXPECT_FALSE(options.err.line_buffered);
  EXPECT_FALSE(options.append);
  EXPECT_FALSE(options.stdin_service);
  EXPECT_FALSE(options.umask.has_value());
  EXPECT_FALSE(options.signal.has_value());
  EXPECT_TRUE(options.new_process_group);
}

TEST(ShellOptions, a_task_that_ends_gives_the_others_a_time) {
  // What was asked for, after any; thirty seconds after one that failed where nothing is said; with none,
  // never.
  const auto show = [](const json& options) {
    std::string text;
    for (const int status : {0, 1 << 8, 9}) {
      const auto patience = parse(options).patience_after(status);
      text += patience ? fmt::format("{} ", *patience) : "- ";
    }
    return text;
  };
  EXPECT_EQ(show(json::object()), "- 30 30 ");
  EXPECT_EQ(show({{"exit-timeout", "5s"}}), "5 5 5 ");
  EXPECT_EQ(show({{"exit-timeout", "none"}}), "- - - ");
}

TEST(ShellOptions, a_terminal_of_a_task_that_is_not_there_is_refused) {
  // A job has fewer tasks than pty.ranks names.
  const auto check = [](const char* ranks, std::uint64_t ntasks) {
    try {
      check_tasks_named(parse({{"pty", {{"ranks", ranks}}}}), ntasks);
    } catch (const Error& failure) {
      return std::string{failure.what()};
    }
    return std::string{"fine"};
  };
  EXPECT_EQ(check("0-1", 2), "fine");
  EXPECT_EQ(check("all", 1), "fine");
  EXPECT_EQ(check("0,5", 2), "pty.ranks: there is no task 5, the job has tasks 0-1");
  EXPECT_EQ(check("1", 1), "pty.ranks: there is no task 1, the job has task 0 alone");
}

TEST(ShellOptions, terminals_are_asked_for_as_in_flux) {
  // Each form, the tasks that get one, whether people come to it, and whether it is kept as output.
  const auto show = [](const json& pty) {
    const auto option = parse({{"pty", pty}}).pty;
    if (!option) return std::string{"none"};
    return option->ranks.encode() + (option->interactive ? " interactive" : "") +
           (option->capture ? " kept" : "") +
           (option->rows == 24 && option->columns == 80
                ? ""
                : fmt::format(" {}x{}", option->rows, option->columns));
  };
  EXPECT_EQ(show(1), "all kept");
  EXPECT_EQ(show(0), "none");
  EXPECT_EQ(show({{"ranks", "0-1,3"}}), "0-1,3 kept");
  EXPECT_EQ(show({{"ranks", 2}}), "2 kept");
  EXPECT_EQ(show({{"capture", 0}}), "all");
  EXPECT_EQ(show({{"interactive", 1}}), "0 interactive");
  EXPECT_EQ(show({{"interactive", true}, {"capture", true}, {"ranks", "all"}}), "all interactive kept");
  EXPECT_EQ(show({{"rows", 50}, {"columns", 100}}), "all kept 50x100");
  EXPECT_THROW((void)show({{"rows", 0}}), Error);
  EXPECT_THROW((void)show({{"columns", 65536}}), Error);
  EXPECT_THROW((void)show({{"interactive", 1}, {"ranks", "1"}}), Error);
  EXPECT_THROW((void)show({{"ranks", "x"}}), Error);
}

TEST(ShellOptions, bootstrap_and_maps_are_asked_for_as_in_flux) {
  // PMI by its name or that of MPI; a map by scheme and value.
  using Pmi = ShellOptions::Pmi;
  EXPECT_EQ(parse(json::object()).pmi, Pmi::automatic);
  EXPECT_EQ(parse({{"pmi", "simple"}}).pmi, Pmi::simple);
  EXPECT_EQ(parse({{"pmi", "off,simple"}}).pmi, Pmi::simple);
  EXPECT_EQ(parse({{"pmi", "off"}}).pmi, Pmi::off);
  EXPECT_EQ(parse({{"mpi", "none"}}).pmi, Pmi::off);
  EXPECT_EQ(parse({{"mpi", "intel"}}).pmi, Pmi::automatic);
  EXPECT_EQ(parse({{"taskmap", {{"scheme", "cyclic"}, {"value", "3"}}}}).taskmap.stride, 3U);
  EXPECT_EQ(parse({{"taskmap", {{"scheme", "manual"}, {"value", "0;1"}}}}).taskmap.map.ntasks(), 2U);
  for (const json& wrong : {json{{"scheme", "cyclic"}, {"value", "0"}}, json{{"scheme", "manual"}},
                            json{{"scheme", "manual"}, {"value", "[]"}}, json{{"scheme", "hash"}},
                            json{{"scheme", "block"}, {"value", "1"}}, json::object()}) {
    EXPECT_THROW((void)parse({{"taskmap", wrong}}), Error) << wrong;
  }
}

TEST(ShellOptions, reads_every_form) {
  // Switches as 1 or true, sizes with suffixes, durations as numbers or text, umask octal, as text or number.
  const ShellOptions options = parse({{"exit-on-error", true},
                                      {"exit-timeout", "1.5m"},
                                      {"nosetpgrp", 1},
                                      {"signal", 1},
                                      {"umask", 77},
                                      {"cpu-affinity", "verbose,per-task"},
                                      {"gpu-affinity", false},
                                      {"mem-affinity", "bind"},
                                      {"output",
                                       {{"limit", "1.5k"},
                                        {"mode", "append"},
                                        {"stdout", {{"path", "a"}, {"label", 1}}},
                                        {"stderr", {{"type", "kvs"}, {"buffer", {{"type", "line"}}}}}}},
                                      {"unknown-to-fq", {{"x", 1}}}});
  EXPECT_TRUE(options.exit_on_error);
  EXPECT_EQ(options.exit_timeout, 90.0);
  EXPECT_FALSE(options.new_process_group);
  EXPECT_EQ(options.signal->signum, 10);
  EXPECT_EQ(options.signal->timeleft, 60);
  EXPECT_EQ(options.umask, 077U);
  EXPECT_EQ(options.cpu_affinity.mode, AffinityOption::Mode::per_task);
  EXPECT_EQ(options.gpu_affinity.mode, AffinityOption::Mode::off);
  EXPECT_EQ(options.memory_affinity, MemoryAffinity::bind);
  EXPECT_EQ(options.output_limit, 1536U);
  EXPECT_TRUE(options.append);
  EXPECT_EQ(options.out.path, "a");
  EXPECT_TRUE(options.out.label);
  EXPECT_TRUE(options.err.path.empty());
  EXPECT_TRUE(options.err.line_buffered);
  EXPECT_EQ(parse({{"rlimit", {{"as", 18446744073709551615U}}}}).rlimits.front().value, SoftLimit::kInfinity);
  EXPECT_FALSE(parse({{"exit-timeout", "none"}}).exit_timeout.has_value());
}

TEST(ShellOptions, says_what_is_wrong) {
  // Each row is an option that cannot be, and the message below the options' path.
  const std::pair<json, const char*> cases[] = {
      {{{"rlimit", {{"nofile", "many"}}}}, "rlimit.nofile: expected an integer, got a string"},
      {{{"rlimit", {{"nofil", 1}}}}, "rlimit.nofil: no such limit"},
      {{{"rlimit", {{"nofile", -2}}}},
       "rlimit.nofile: expected an integer from -1 to 9223372036854775807, got -2"},
      {{{"umask", "9"}}, "umask: expected an octal number from 0 to 0777"},
      {{{"umask", 9}}, "umask: expected an octal number from 0 to 0777"},
      {{{"umask", -1}}, "umask: expected an octal number from 0 to 0777"},
      {{{"umask", "7777"}}, "umask: expected an octal number from 0 to 0777"},
      {{{"cpu-affinity", "some"}}, "cpu-affinity: expected on, off, per-task or map:LIST, got 'some'"},
      {{{"mem-affinity", "per-task"}}, "mem-affinity: expected on, off or bind, got 'per-task'"},
      {{{"cpu-affinity", "map:"}}, "cpu-affinity: expected a list of ids for each task, as `map:0-1;2-3`"},
      {{{"output", {{"mode", "wipe"}}}}, "output.mode: expected truncate or append, got 'wipe'"},
      {{{"output", {{"limit", "-1M"}}}}, "output.limit: expected a size as `50M`, with k, M or G"},
      {{{"output", {{"stdout", {{"type", "file"}}}}}}, "output.stdout: missing key 'path'"},
      {{{"output", {{"stdout", {{"type", "tape"}}}}}},
       "output.stdout.type: expected kvs or file, got 'tape'"},
      {{{"output", {{"stderr", {{"buffer", {{"type", "full"}}}}}}}},
       "output.stderr.buffer.type: expected none or line, got 'full'"},
      {{{"input", {{"stdin", {{"type", "tape"}}}}}},
       "input.stdin.type: expected file or service, got 'tape'"},
      {{{"exit-timeout", -1}}, "exit-timeout: expected a duration that is not negative"},
      {{{"signal", {{"signum", 0}}}}, "signal.signum: expected an integer from 1 to 64, got 0"},
      {{{"oom", {{"adjust", 2000}}}}, "oom.adjust: expected an integer from -1000 to 1000, got 2000"},
      {{{"env-expand", {{"A", 1}}}}, "env-expand.A: expected a string, got an integer"},
  };
  for (const auto& [options, message] : cases) {
    try {
      (void)parse(options);
      ADD_FAILURE() << options;
    } catch (const Error& failure) {
      const std::string prefix = "jobspec: attributes.system.shell.options.";
      std::string text = failure.what();
      EXPECT_EQ(failure.kind(), Kind::invalid) << text;
      // A nested error may name the path twice; the end is what matters then.
      EXPECT_TRUE(text.starts_with(prefix)) << text;
      EXPECT_TRUE(text.ends_with(message)) << text << "\n" << message;
    }
  }
}

TEST(ShellOptions, knows_its_names) {
  // What is submitted has options of these names only; each row is an object, and what is wrong with it.
  const std::pair<json, const char*> cases[] = {
      {json::object(), ""},
      {{{"rlimit", {{"core", 1}}}, {"env-expand", {{"X", "{{id}}"}}}, {"signal", 1}, {"umask", "022"}}, ""},
      {{{"per-resource", {{"type", "node"}, {"count", 2}}}, {"exit-timeout", "none"}}, ""},
      {{{"output", {{"batch-timeout", 0.05}, {"stdout", {{"buffer", {{"type", "none"}}}}}}}}, ""},
      {{{"cpu-affinity", {{"verbose", true}}}}, "cpu-affinity: expected a string, got an object"},
      {{{"nonsense", 1}}, "unknown shell option 'nonsense'"},
      {{{"", 1}}, "unknown shell option ''"},
      {{{"umask.x", 1}}, "unknown shell option 'umask.x'"},
      {{{"outpt", {{"limit", 4}}}}, "unknown shell option 'outpt'"},
      {{{"output", {{"stdout", {{"buffer", {{"kind", 1}}}}}}}},
       "unknown shell option 'output.stdout.buffer.kind'"},
      {{{"oom", 3}}, "shell option 'oom' is a group of options, got an integer"},
      {{{"signal", {{"sig", 3}}}}, "unknown shell option 'signal.sig'"},
      {{{"input", {{"batch-timeout", "x"}}}},
       "input.batch-timeout: invalid duration 'x': expected a number with one of the units ms, s, m, h or d, "
       "or inf"},
  };
  for (const auto& [options, message] : cases) {
    std::string got;
    try {
      check_shell_options(JsonAt{options, ""});
    } catch (const Error& failure) {
      got = failure.what();
    }
    EXPECT_EQ(got, message) << options;
  }
}

}  // namespace
}  // namespace fq::document
