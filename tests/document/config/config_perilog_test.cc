// What is run around the tasks of jobs: tables, what a queue says instead, and mistakes.

#include "document/config/config_perilog.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/text.h"
#include "document/config/config.h"
#include "support/error_text.h"

namespace fq::document {
namespace {

using nlohmann::json;

const PolicyReaders kPerilogReaders{[](const json&) { return SchedulerFacts{}; }, [](const json&) {},
                                    [](const json&) {}, [](const json&) {},
                                    [](const std::string& program) {
                                      if (program == "/missing")
                                        throw Error{Kind::invalid, "cannot run '/missing': it is gone"};
                                    }};

Config compile_perilog(const std::string& text) {
  const ConfigSource source({ConfigSource::File{"fq.toml", text}});
  const auto inventory = ResourceSet::uniform(
      notation::Idset::decode("0"), notation::Hostlist::decode("node0"), notation::Idset::decode("0-3"), {});
  return read_config(source.document(), &source, inventory, kPerilogReaders);
}

std::string text_of(const PerilogConfig& config) {
  return config.command.empty() ? "-"
                                : fmt::format("{} {:g} {:g}{}{}", join(config.command, " "), config.timeout_s,
                                              config.kill_timeout_s, config.requeues ? " requeue" : "",
                                              config.drains ? " drain" : "");
}

/// `NAME: PROLOG; EPILOG`, a line a queue, each as it is when it was stored and read again.
std::string perilogs(const std::string& text) {
  std::string out;
  for (const QueueConfig& queue : compile_perilog(text).queues) {
    const QueueConfig read = decode_queue(queue.name, encode_queue(queue));
    out += fmt::format("{}: {}; {}\n", read.name, text_of(read.policy.prolog), text_of(read.policy.epilog));
  }
  return out;
}

TEST(ConfigPerilog, a_table_holds_for_all_queues_and_a_queue_says_otherwise_key_by_key) {
  // A command is a path, or an array with its arguments; without one nothing is run.
  EXPECT_EQ(perilogs(""), ": -; -\n");

  EXPECT_EQ(perilogs("[job-manager.prolog]\ncommand = '/bin/a'\n"), ": /bin/a 1800 10 drain; -\n");
  EXPECT_EQ(
      perilogs(
          "[jobs.epilog]\ncommand = ['/bin/a', '-v']\ntimeout = 'inf'\nkill-timeout = '1s'\ndrain = false\n"),
      ": -; /bin/a -v 0 1\n");
  EXPECT_EQ(perilogs("policy.jobspec.defaults.system.queue = 'a'\n"
                     "[job-manager.prolog]\ncommand = '/bin/p'\non-failure = 'requeue'\n"
                     "[job-manager.epilog]\ncommand = '/bin/e'\n"
                     "[queues.a.prolog]\ntimeout = '1m'\n"
                     "[queues.b.prolog]\ncommand = ''\n"
                     "[queues.b.epilog]\ncommand = ['/bin/other']\n"
                     "[queues.c]\nparent = 'b'\nepilog.timeout = '0'\n"),
            "a: /bin/p 60 10 requeue drain; /bin/e 1800 10 drain\n"
            "b: -; /bin/other 1800 10 drain\n"
            "c: -; /bin/other 0 10 drain\n");
}

TEST(ConfigPerilog, mistakes_are_named) {
  // By file, line and key.
  const auto failure = [](const std::string& text) {
    return error_text([&] { return compile_perilog(text); });
  };
  EXPECT_EQ(failure("[job-manager.prolog]\ncommand = 'prolog'\n"),
            "fq.toml:2: job-manager.prolog.command: expected an absolute path, got 'prolog'");
  EXPECT_EQ(failure("[queues.a.epilog]\ncommand = ['/missing', '-v']\n"),
            "fq.toml:2: queues.a.epilog.command: cannot run '/missing': it is gone");
  EXPECT_EQ(failure("[jobs.prolog]\ncommand = 3\n"),
            "fq.toml:2: jobs.prolog.command: expected an array of strings, got an integer");
  EXPECT_EQ(failure("[jobs.epilog]\non-failure = 'fail'\n"),
            "fq.toml:2: jobs.epilog.on-failure: unknown key (one of command, drain, kill-timeout, timeout)");
  EXPECT_EQ(failure("[jobs.prolog]\non-failure = 'retry'\n"),
            "fq.toml:2: jobs.prolog.on-failure: expected 'fail' or 'requeue', got 'retry'");
  EXPECT_EQ(failure("[jobs.prolog]\ntimeout = '1y'\n").substr(0, 32), "fq.toml:2: jobs.prolog.timeout: ");
  EXPECT_EQ(failure("[jobs.prolog]\ntimeout = '1m'\n"),
            "fq.toml:1: jobs.prolog: it has no command, and nothing would be run (command = \"\" says that "
            "nothing is to be run)");
  EXPECT_EQ(failure("[queues.b.epilog]\ntimeout = '1m'\n").substr(0, 53),
            "fq.toml:1: queues.b.epilog: it has no command, and no");
  EXPECT_EQ(failure("[queues.b]\nprolog.command = ''\nprolog.timeout = '1m'\n"), "no error");
  EXPECT_EQ(failure("[jobs.prolog]\nkill-timeout = 'inf'\n"),
            "fq.toml:2: jobs.prolog.kill-timeout: what does not end must be killed some time");
  EXPECT_EQ(failure("[jobs.prolog]\ndrain = 'no'\n"),
            "fq.toml:2: jobs.prolog.drain: expected true or false, got a string");
  EXPECT_EQ(
      failure("[queues.a]\nprolog = { command = '/bin/p', on-failure = 'requeue', drain = false }\n"),
      "fq.toml:1: queues.a: a prolog that requeues its job must drain the nodes, or it fails there for ever");
}

}  // namespace
}  // namespace fq::document
