#include "cli/submit/bulk_options.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/frame/common_options.h"
#include "cli/frame/run_tool.h"
#include "cli/frame/text_width.h"
#include "support/error_text.h"

namespace fq::cli {
namespace {

BulkOptions parse(std::vector<std::string> arguments) {
  OptionParser parser{
      "fq-submit", "Submit.", {"COMMAND [ARG...]", 1, Operands::kUnlimited, /*options_first=*/true}};
  BulkOptions options;
  add_bulk_options(parser, options);
  options.submit.command = parser.parse(std::move(arguments));
  return options;
}

TEST(BulkOptions, name_the_numbers_of_copies) {
  // --cc and --bcc are idsets, not both, not empty, not endless.
  const auto numbers = [](std::optional<std::string> cc, std::optional<std::string> bcc) -> std::string {
    BulkOptions options;
    options.cc = std::move(cc);
    options.bcc = std::move(bcc);
    std::string out = "one job";
    const std::string failure = error_text([&] {
      if (const auto found = copy_numbers(options)) out = found->encode();
      return 0;
    });
    return failure == "no error" ? out : failure;
  };
  EXPECT_EQ(numbers({}, {}), "one job");
  EXPECT_EQ(numbers("0-2,7", {}), "0-2,7");
  EXPECT_EQ(numbers({}, "5"), "5");
  EXPECT_EQ(numbers("1", "2"), "--cc cannot be used with --bcc");
  EXPECT_EQ(numbers("", {}), "--cc: the set of ids is empty");
  EXPECT_EQ(numbers({}, "0-4294967295"), "--bcc: more than 10000000 ids");
  EXPECT_TRUE(numbers("3-1", {}).starts_with("--cc: "));
}

TEST(BulkOptions, replace_the_placeholder_everywhere) {
  // {cc} becomes the number in the command and in options; templates and other braces stay.
  const BulkOptions options =
      parse({"--output=o-{cc}-{{id}}", "--job-name=j{cc}", "--env=N={cc}{cc}", "-n", "{cc}", "--cc=1-12",
             "echo", "{cc}", "{{cc}}", "{}", "{ccc}", "{{x}}{cc}", "}}{cc}"});
  const SubmitOptions copy = with_copy_number(options, 12).submit;
  EXPECT_EQ(*copy.output, "o-12-{{id}}");
  EXPECT_EQ(*copy.job_name, "j12");
  EXPECT_EQ(copy.env[0].text, "N=1212");
  EXPECT_EQ(*copy.ntasks, "12");
  EXPECT_EQ(join(copy.command, " "), "echo 12 {{cc}} {} {ccc} {{x}}12 }}12");
  EXPECT_FALSE(has_copy_number("{{cc}} {c} cc"));
  EXPECT_TRUE(has_copy_number("{{id}}{cc}"));
}

TEST(BulkOptions, wait_for_the_end) {
  // --wait stands for the last event of a job's log.
  EXPECT_EQ(parse({"true"}).follow.wait_event, std::nullopt);
  EXPECT_EQ(parse({"--wait", "true"}).follow.wait_event, "clean");
  EXPECT_EQ(parse({"--wait", "--wait-event=start", "true"}).follow.wait_event, "start");
  EXPECT_EQ(parse({"--wait-event=start", "--wait", "true"}).follow.wait_event, "clean");
}

TEST(BulkOptions, check_what_belongs_together) {
  // A rate is shown in a bar.
  const auto check = [](std::vector<std::string> arguments) {
    return error_text([&] {
      check_bulk_options(parse(arguments));
      return 0;
    });
  };
  EXPECT_EQ(check({"--jps", "true"}), "--jps needs --progress");
  EXPECT_EQ(check({"--jps", "--progress", "true"}), "no error");
  const auto kind = [](const auto& step) {
    try {
      step();
    } catch (const Error& failure) {
      return failure.kind();
    }
    return Kind::internal;
  };
  EXPECT_EQ(kind([&] { check_bulk_options(parse({"--jps", "true"})); }), Kind::combination);
  EXPECT_EQ(kind([&] { (void)copy_numbers(parse({"--cc=1", "--bcc=2", "true"})); }), Kind::combination);
  EXPECT_EQ(kind([&] { (void)copy_numbers(parse({"--cc=x", "true"})); }), Kind::usage);
}

TEST(BulkOptions, help_fits_a_screen_and_names_every_option) {
  // The help page of fq-submit has every option on at most 24 lines of at most 80 columns.
  OptionParser parser{
      "fq-submit", "Submit.", {"COMMAND [ARG...]", 1, Operands::kUnlimited, /*options_first=*/true}};
  BulkOptions options;
  CommonOptions common;
  add_bulk_options(parser, options);
  add_common_options(parser, common);
  const std::string help = parser.help();
  EXPECT_LE(std::count(help.begin(), help.end(), '\n'), 24);
  for (const std::string_view line : split(help, '\n')) EXPECT_LE(display_width(line), 80U) << line;
  for (const std::string_view name : {"-q, --queue",
                                      "-B, --bank",
                                      "-t, --time-limit",
                                      "-N, --nodes",
                                      "-x, --exclusive",
                                      "-n, --ntasks",
                                      "-c, --cores-per-",
                                      "-g, --gpus-per-t",
                                      "--cores,",
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
                                      "--env,",
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
                                      "--wait,",
                                      "--wait-event",
                                      "--watch",
                                      "--log,",
                                      "--log-stderr",
                                      "--progress",
                                      "--jps",
                                      "--store",
                                      "--lock-timeout",
                                      "--color"}) {
    EXPECT_NE(help.find(name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace fq::cli
