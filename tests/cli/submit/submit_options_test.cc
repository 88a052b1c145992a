#include "cli/submit/submit_options.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/run_tool.h"
#include "job/job.h"

namespace fq::cli {
namespace {

using Words = std::vector<std::string>;

SubmitOptions parse(Words arguments) {
  OptionParser parser{
      "fq-submit", "Submit.", {"COMMAND [ARG...]", 1, Operands::kUnlimited, /*options_first=*/true}};
  SubmitOptions options;
  add_submit_options(parser, options);
  options.command = parser.parse(std::move(arguments));
  return options;
}

std::string failure_of(const std::function<void()>& step) {
  try {
    step();
  } catch (const Error& failure) {
    EXPECT_EQ(exit_code(failure.kind()), 2);
    return error_line("fq-submit", failure);
  }
  return "none";
}

TEST(SubmitOptions, leave_the_command_its_own_options) {
  // Options end at the command: what follows is the job's.
  const SubmitOptions options = parse({"-n2", "-xN1", "ls", "-l", "--", "-n5"});
  EXPECT_EQ(join(options.command, " "), "ls -l -- -n5");
  EXPECT_EQ(options.ntasks, "2");
  EXPECT_EQ(options.nodes, "1");
  EXPECT_TRUE(options.exclusive);
  EXPECT_EQ(failure_of([] { static_cast<void>(parse({"-n2"})); }),
            "fq-submit: COMMAND is missing (usage: fq-submit [OPTION...] COMMAND [ARG...])\n");
}

TEST(SubmitOptions, keep_environment_rules_and_dependencies_in_order) {
  // --env, --env-remove and --env-file make one list, as do --dependency and --begin-time.
  const SubmitOptions options =
      parse({"--env-remove=*", "--env=A=1", "--env-file=f", "--env=-B", "--dependency=afterok:f1",
             "--begin-time=+1h", "--dependency=singleton", "-vv", "--verbose", "true"});
  std::string rules;
  for (const EnvRule& rule : options.env) rules += fmt::format("{} {};", rule.option, rule.text);
  EXPECT_EQ(rules, "--env-remove -*;--env A=1;--env-file ^f;--env -B;");
  EXPECT_EQ(join(options.dependencies, ";"), "afterok:f1;begin-time:+1h;singleton");
  EXPECT_EQ(options.verbose, 3);
}

TEST(SubmitOptions, know_urgencies_and_flags) {
  // Numbers and words; what is out of range or unknown is refused by name.
  const auto urgency = [](std::string text) {
    SubmitOptions options;
    options.urgency = std::move(text);
    return int{submit_urgency(options)};
  };
  EXPECT_EQ(submit_urgency({}), 16);
  EXPECT_EQ(urgency("0"), 0);
  EXPECT_EQ(urgency("31"), 31);
  EXPECT_EQ(urgency("hold"), 0);
  EXPECT_EQ(urgency("default"), 16);
  EXPECT_EQ(urgency("expedite"), 31);
  for (const std::string text : {"99", "32", "-1", "high", ""}) {
    EXPECT_EQ(
        failure_of([&] { static_cast<void>(urgency(text)); }),
        fmt::format("fq-submit: --urgency: expected 0 to 31, hold, default or expedite, got '{}'\n", text));
  }
  SubmitOptions options;
  EXPECT_EQ(submit_flags(options), 0U);
  options.flags = {"debug,novalidate", "waitable"};
  EXPECT_EQ(submit_flags(options), job::kFlagDebug | job::kFlagWaitable);
  options.flags = {"waitble"};
  EXPECT_EQ(failure_of([&] { static_cast<void>(submit_flags(options)); }),
            "fq-submit: --flags: unknown flag 'waitble' (did you mean 'waitable'?)\n");
}

}  // namespace
}  // namespace fq::cli
