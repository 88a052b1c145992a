#include "cli/submit/env_rules.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "cli/frame/run_tool.h"

namespace fq::cli {
namespace {

Surroundings sample() {
  Surroundings surroundings;
  surroundings.environment = {{"A", "1"}, {"B", "2"}, {"OMP_X", "3"}, {"OMP_Y", "4"}, {"PATH", "/bin"}};
  surroundings.home = "/home/user";
  surroundings.read_file = [](const std::string& path) -> std::string {
    if (path == "/home/user/rules") return "-*\n\n  OMP*  \nFOO=bar\nBAR=${FOO}/baz\n";
    if (path == "loop") return "^loop";
    throw error(Kind::not_found, "{}: No such file or directory", path);
  };
  return surroundings;
}

/// The job's environment as `A=1 B=2`, templates behind a bar, or the error line.
std::string apply(const std::vector<std::string>& rules) {
  try {
    std::vector<EnvRule> given;
    for (const std::string& rule : rules)
      given.push_back({rule.starts_with('^') ? "--env-file" : "--env", rule});
    const JobEnvironment job = apply_env_rules(given, sample());
    std::string out;
    for (const auto& [name, value] : job.variables) out += fmt::format("{}={} ", name, value);
    for (const auto& [name, value] : job.expand) out += fmt::format("| {}={} ", name, value);
    return out;
  } catch (const Error& failure) {
    EXPECT_EQ(exit_code(failure.kind()), 2);
    return error_line("fq-submit", failure);
  }
}

TEST(EnvRules, build_the_environment_in_their_order) {
  // Rules remove, take, set and read more rules, each on what the ones before it left.
  struct Case {
    std::vector<std::string> rules;
    std::string expected;
  };
  const Case cases[] = {
      {{}, "A=1 B=2 OMP_X=3 OMP_Y=4 PATH=/bin "},
      {{"-*"}, ""},
      {{"-/.*/"}, ""},
      {{"-OMP*"}, "A=1 B=2 PATH=/bin "},
      {{"-[AB]"}, "OMP_X=3 OMP_Y=4 PATH=/bin "},
      {{"-[!AB]*"}, "A=1 B=2 "},
      {{"-/^OMP_(X|Z)$/"}, "A=1 B=2 OMP_Y=4 PATH=/bin "},
      {{"-/MP/"}, "A=1 B=2 OMP_X=3 OMP_Y=4 PATH=/bin "},
      {{"-*", "PATH"}, "PATH=/bin "},
      {{"-*", "OMP*"}, "OMP_X=3 OMP_Y=4 "},
      {{"-*", "/^OMP.*/"}, "OMP_X=3 OMP_Y=4 "},
      {{"-*", "A=5", "A"}, "A=5 "},
      {{"-*", "NO_SUCH"}, ""},
      {{"-*", "*"}, "A=1 B=2 OMP_X=3 OMP_Y=4 PATH=/bin "},
      {{"-*", "PATH=/x:$PATH", "PATH=$PATH:/y"}, "PATH=/x:/bin:/y "},
      {{"-*", "X=$A-${B}-$$A"}, "X=1-2-$A "},
      {{"-*", "X="}, "X= "},
      {{"-*", "X=a=b"}, "X=a=b "},
      {{"-*", "X={{tmpdir}}/$A"}, "| X={{tmpdir}}/1 "},
      {{"-*", "X={{id}}", "X=1"}, "X=1 "},
      {{"-*", "X={{id}}", "Y={{id}}", "-X"}, "| Y={{id}} "},
      {{"^~/rules"}, "BAR=bar/baz FOO=bar OMP_X=3 OMP_Y=4 "},
      {{"-*", "X=$NO"}, "fq-submit: --env: 'X=$NO': variable 'NO' is not set\n"},
      {{"X=${A:-b}"},
       "fq-submit: --env: 'X=${A:-b}': '$' is not followed by a variable ($NAME or ${NAME}; $$ is a dollar "
       "sign)\n"},
      {{"X=5$"},
       "fq-submit: --env: 'X=5$': '$' is not followed by a variable ($NAME or ${NAME}; $$ is a dollar "
       "sign)\n"},
      {{"=x"}, "fq-submit: --env: '=x': the name of the variable is missing\n"},
      {{"X=\xff"}, "fq-submit: --env: 'X=\\xff': not valid UTF-8\n"},
      {{"^none"}, "fq-submit: --env-file: none: No such file or directory\n"},
      {{"^loop"}, "fq-submit: --env-file: 'loop': rule files nest deeper than 8\n"},
      {{"-/(/"}, "fq-submit: --env: '(' is not a regular expression: missing )\n"},
      {{"-/" + std::string(100'000, '(') + "O" + std::string(100'000, ')') + "/"}, "A=1 B=2 PATH=/bin "},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(apply(each.rules), each.expected) << (each.rules.empty() ? "" : each.rules.back());
  }
}

}  // namespace
}  // namespace fq::cli
