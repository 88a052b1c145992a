#include "cli/submit_options.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/common_options.h"
#include "cli/run_tool.h"
#include "cli/text_width.h"
#include "job/job.h"

namespace fq::cli {
namespace {

using Words = std::vector<std::string>;

SubmitOptions parse(Words arguments) {
  OptionParser parser{"fq-submit", "Submit.", {"COMMAND [ARG...]", 1, Operands::kUnlimited}};
  SubmitOptions options;
  add_submit_options(parser, options);
  options.command = parser.parse(std::move(arguments));
  return options;
}

std::string failure_of(const std::function<void()>& step) {
  try {
    step();
  } catch (const Error& failure) {
    EXPECT_EQ(failure.kind(), Kind::usage);
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
  EXPECT_EQ(join(options.env, ";"), "-*;A=1;^f;-B");
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

TEST(CopyOptions, name_the_numbers_of_copies) {
  // --cc and --bcc are idsets, not both, not empty, not endless.
  const auto numbers = [](std::optional<std::string> cc, std::optional<std::string> bcc) -> std::string {
    std::string out;
    const std::string failure = failure_of([&] {
      const auto found = copy_numbers({cc, bcc});
      if (!found) {
        out = "one job";
        return;
      }
      for (const std::uint32_t number : *found) out += std::to_string(number) + " ";
    });
    return failure == "none" ? out : failure;
  };
  EXPECT_EQ(numbers({}, {}), "one job");
  EXPECT_EQ(numbers("0-2,7", {}), "0 1 2 7 ");
  EXPECT_EQ(numbers({}, "5"), "5 ");
  EXPECT_EQ(numbers("1", "2"), "fq-submit: --cc cannot be used with --bcc\n");
  EXPECT_EQ(numbers("", {}), "fq-submit: --cc: the set of ids is empty\n");
  EXPECT_EQ(numbers({}, "0-4294967295"), "fq-submit: --bcc: more than 10000000 ids\n");
  EXPECT_TRUE(numbers("3-1", {}).starts_with("fq-submit: --cc: "));
}

TEST(CopyOptions, replace_the_placeholder_everywhere) {
  // {cc} becomes the number in the command and in options; templates and other braces stay.
  SubmitOptions options = parse({"--output=o-{cc}-{{id}}", "--job-name=j{cc}", "--env=N={cc}{cc}", "-n",
                                 "{cc}", "echo", "{cc}", "{{cc}}", "{}", "{ccc}", "{{x}}{cc}", "}}{cc}"});
  const SubmitOptions copy = with_copy_number(options, 12);
  EXPECT_EQ(*copy.output, "o-12-{{id}}");
  EXPECT_EQ(*copy.job_name, "j12");
  EXPECT_EQ(copy.env[0], "N=1212");
  EXPECT_EQ(*copy.ntasks, "12");
  EXPECT_EQ(join(copy.command, " "), "echo 12 {{cc}} {} {ccc} {{x}}12 }}12");
}

TEST(SubmitOptions, help_fits_a_screen_and_names_every_option) {
  // The help page of fq-submit has every option on less than 60 lines of at most 80 columns.
  OptionParser parser{"fq-submit", "Submit.", {"COMMAND [ARG...]", 1, Operands::kUnlimited}};
  SubmitOptions options;
  CopyOptions copies;
  CommonOptions common;
  add_submit_options(parser, options);
  add_copy_options(parser, copies);
  add_common_options(parser, common);
  const std::string help = parser.help();
  EXPECT_LT(std::count(help.begin(), help.end(), '\n'), 60);
  for (const std::string_view line : split(help, '\n')) EXPECT_LE(display_width(line), 80U) << line;
  for (const std::string_view name : {"-q, --queue",
                                      "-B, --bank",
                                      "-t, --time-limit",
                                      "-N, --nodes",
                                      "-x, --exclusive",
                                      "-n, --ntasks",
                                      "-c, --cores-per-",
                                      "-g, --gpus-per-t",
                                      "--cores ",
                                      "--tasks-per-node",
                                      "--tasks-per-c",
                                      "--gpus-per-node",
                                      "-o, --setopt",
                                      "-S, --setattr",
                                      "-u, --unbuffered",
                                      "-l, --label-i",
                                      "--job-name",
                                      "--urgency",
                                      "--qos",
                                      "--flags",
                                      "--cwd",
                                      "--dependency",
                                      "--requires",
                                      "--begin-time",
                                      "--env ",
                                      "--env-remove",
                                      "--env-file",
                                      "--rlimit",
                                      "--input",
                                      "--output",
                                      "--error",
                                      "--signal",
                                      "--dry-run",
                                      "--quiet",
                                      "-v, --verbose",
                                      "--cc",
                                      "--bcc",
                                      "--store",
                                      "--lock-timeout",
                                      "--color"}) {
    EXPECT_NE(help.find(name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace fq::cli
