#include "cli/submit/rlimit_rules.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "cli/frame/run_tool.h"

namespace fq::cli {
namespace {

TEST(RlimitRules, choose_and_set_limits_in_their_order) {
  // All but the session's own limits are passed on; rules remove, take back and set.
  const Rlimits submitter{{"core", 0}, {"cpu", -1}, {"memlock", 64}, {"nofile", 1024}, {"nproc", 100}};
  const auto apply = [&](const std::vector<std::string>& rules) -> std::string {
    try {
      std::string out;
      for (const auto& [name, value] : apply_rlimit_rules(rules, submitter))
        out += fmt::format("{}={} ", name, value);
      return out;
    } catch (const Error& failure) {
      EXPECT_EQ(failure.kind(), Kind::usage);
      return error_line("fq-submit", failure);
    }
  };
  EXPECT_EQ(apply({}), "core=0 cpu=-1 nofile=1024 nproc=100 ");
  EXPECT_EQ(apply({"-*"}), "");
  EXPECT_EQ(apply({"-*,core"}), "core=0 ");
  EXPECT_EQ(apply({"-n*"}), "core=0 cpu=-1 ");
  EXPECT_EQ(apply({"memlock"}), "core=0 cpu=-1 memlock=64 nofile=1024 nproc=100 ");
  EXPECT_EQ(apply({"*"}), "core=0 cpu=-1 memlock=64 nofile=1024 nproc=100 ");
  EXPECT_EQ(apply({"-*", "NOFILE=16", "core=unlimited,cpu=inf"}), "core=-1 cpu=-1 nofile=16 ");
  EXPECT_EQ(apply({"-*", " ,nproc=0, "}), "nproc=0 ");
  EXPECT_EQ(apply({"nofil"}), "fq-submit: --rlimit: no limit is called 'nofil' (did you mean 'nofile'?)\n");
  EXPECT_EQ(apply({"-nofil"}), "fq-submit: --rlimit: no limit is called 'nofil' (did you mean 'nofile'?)\n");
  EXPECT_EQ(apply({"stack=5"}), "fq-submit: --rlimit: no limit is called 'stack'\n");
  EXPECT_EQ(apply({"core=x"}),
            "fq-submit: --rlimit: 'core=x': expected a whole number or unlimited, got 'x'\n");
  EXPECT_EQ(apply({"core=-2"}),
            "fq-submit: --rlimit: 'core=-2': expected a whole number or unlimited, got '-2'\n");
}

}  // namespace
}  // namespace fq::cli
