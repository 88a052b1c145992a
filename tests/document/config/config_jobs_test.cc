// The tables `exec` and `jobs`.

#include "document/config/config_jobs.h"

#include <gtest/gtest.h>

#include "support/error_text.h"

namespace fq::document {
namespace {

std::string read_jobs(const std::string& text) {
  const ConfigSource source({ConfigSource::File{"fq.toml", text}});
  const ConfigAt root(source.document(), &source);
  const ExecConfig exec = read_exec(root);
  const RetentionConfig retention = read_retention(root);
  EXPECT_EQ(decode_exec(encode_exec(exec)), exec);
  EXPECT_EQ(decode_retention(encode_retention(retention)), retention);
  return encode_exec(exec) + encode_retention(retention);
}

TEST(ConfigJobs, what_is_set_is_kept_and_nothing_else) {
  // An endless age is no limit.
  EXPECT_EQ(read_jobs(""), "");
  EXPECT_EQ(read_jobs("[exec]\nkill-timeout = '10s'\nterm-signal = 'SIGUSR1'\n"),
            R"({"kill_timeout":10.0,"term_signal":10})");
  EXPECT_EQ(read_jobs("[exec]\nkill-signal = '15'\nmax-kill-count = 8\n"),
            R"({"kill_signal":15,"max_kill_count":8})");
  EXPECT_EQ(read_jobs("[exec]\nkill-timeout = '0'\n[jobs]\ninactive-num-limit = 0\n"),
            R"({"kill_timeout":0.0}{"num_limit":0})");
  EXPECT_EQ(read_jobs("[jobs]\ninactive-age-limit = '30d'\ninactive-num-limit = 1000\n"),
            R"({"age_limit":2592000.0,"num_limit":1000})");
  EXPECT_EQ(read_jobs("[jobs]\ninactive-age-limit = 'inf'\n"), "");
}

TEST(ConfigJobs, mistakes_are_named) {
  // By file, line and key.
  const auto failure = [](const std::string& text) { return error_text([&] { return read_jobs(text); }); };
  EXPECT_EQ(failure("[exec]\nkill-timeout = 5\n"),
            "fq.toml:2: exec.kill-timeout: expected a string, got an integer");
  EXPECT_EQ(failure("[exec]\nkill-timeout = 'inf'\n"),
            "fq.toml:2: exec.kill-timeout: a job that does not end must be killed some time");
  EXPECT_EQ(failure("[exec]\nterm-signal = 'TREM'\n"),
            "fq.toml:2: exec.term-signal: 'TREM' is not a signal (did you mean 'TERM'?)");
  EXPECT_EQ(failure("[exec]\njob-shell = '/bin/sh'\n"),
            "fq.toml:2: exec.job-shell: unknown key (one of kill-signal, kill-timeout, max-kill-count, "
            "term-signal)");
  EXPECT_EQ(failure("[exec]\nmax-kill-count = 0\n"),
            "fq.toml:2: exec.max-kill-count: expected an integer from 1 to 2147483647, got 0");
  EXPECT_EQ(failure("[exec]\nkill-signal = 'KIL'\n"),
            "fq.toml:2: exec.kill-signal: 'KIL' is not a signal (did you mean 'KILL'?)");
  EXPECT_EQ(failure("[jobs]\ninactive-num-limit = -1\n"),
            "fq.toml:2: jobs.inactive-num-limit: expected an integer from 0 to 9223372036854775807, got -1");
  EXPECT_EQ(failure("[jobs]\ninactive-age-limit = '-1d'\n"),
            "fq.toml:2: jobs.inactive-age-limit: invalid duration '-1d': a duration cannot be negative");
  EXPECT_EQ(failure("jobs = []\n"), "fq.toml:1: jobs: expected a table, got an array");
}

}  // namespace
}  // namespace fq::document
