#include "cli/frame/option_parser.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/common_options.h"
#include "cli/frame/run_tool.h"

namespace fq::cli {
namespace {

using Words = std::vector<std::string>;

/// A parser with an option of each kind, and what it was given, as one line.
struct Sample {
  OptionParser parser{"fq-demo",
                      "Show how options work.",
                      {"COMMAND [ARG...]", 0, Operands::kUnlimited, /*options_first=*/true}};
  bool exclusive = false, label = false;
  int verbose = 0;
  std::string queue = "-";
  std::optional<std::string> limit;
  Words attributes;

  Sample() {
    parser.group("Size");
    parser.flag("-x,--exclusive", exclusive, "whole nodes");
    parser.option("-t,--time-limit", "MIN|FSD", limit, "time limit");
    parser.group("Other");
    parser.flag("-l", label, "label");
    parser.count("-v,--verbose", verbose, "say more");
    parser.option("-q,--queue", "NAME", queue, "queue");
    parser.option("-S,--setattr", "ATTR[=VAL]", attributes, "attribute");
  }

  std::string read(Words arguments) {
    try {
      const Words operands = parser.parse(std::move(arguments));
      return fmt::format("x={} l={} v={} q={} t={} S=[{}] | {}", int{exclusive}, int{label}, verbose, queue,
                         limit.value_or("none"), join(attributes, ";"), join(operands, " "));
    } catch (const Error& failure) {
      EXPECT_EQ(failure.kind(), Kind::usage);
      return failure.hint().empty() ? failure.what() : fmt::format("{} ({})", failure.what(), failure.hint());
    }
  }
};

TEST(OptionParser, reads_posix_command_lines) {
  // Options end at the first operand or `--`; every way to give a value means the same; the last one wins.
  struct Case {
    Words arguments;
    std::string expected;
  };
  const Case cases[] = {
      {{}, "x=0 l=0 v=0 q=- t=none S=[] | "},
      {{"-x", "ls", "-l"}, "x=1 l=0 v=0 q=- t=none S=[] | ls -l"},
      {{"-x", "--", "-l", "--"}, "x=1 l=0 v=0 q=- t=none S=[] | -l --"},
      {{"-q", "debug", "ls"}, "x=0 l=0 v=0 q=debug t=none S=[] | ls"},
      {{"-qdebug", "ls"}, "x=0 l=0 v=0 q=debug t=none S=[] | ls"},
      {{"--queue=debug", "ls"}, "x=0 l=0 v=0 q=debug t=none S=[] | ls"},
      {{"--queue", "debug", "ls"}, "x=0 l=0 v=0 q=debug t=none S=[] | ls"},
      {{"-vxvt5", "ls"}, "x=1 l=0 v=2 q=- t=5 S=[] | ls"},
      {{"-vt", "5", "ls"}, "x=0 l=0 v=1 q=- t=5 S=[] | ls"},
      {{"-qa", "-qb", "--queue=c"}, "x=0 l=0 v=0 q=c t=none S=[] | "},
      {{"--queue=", "ls"}, "x=0 l=0 v=0 q= t=none S=[] | ls"},
      {{"-q", "", "ls"}, "x=0 l=0 v=0 q= t=none S=[] | ls"},
      {{"-q", "-x", "ls"}, "x=0 l=0 v=0 q=-x t=none S=[] | ls"},
      {{"-q", "--", "ls"}, "x=0 l=0 v=0 q=-- t=none S=[] | ls"},
      {{"-t", "-1", "ls"}, "x=0 l=0 v=0 q=- t=-1 S=[] | ls"},
      {{"-q=a", "ls"}, "x=0 l=0 v=0 q==a t=none S=[] | ls"},
      {{"--queue=a=b", "ls"}, "x=0 l=0 v=0 q=a=b t=none S=[] | ls"},
      {{"-Sa=1", "-S", "b=[1,2]", "--setattr={}", "-S", "\"c\"", "-S", "[x]", "-S", ""},
       "x=0 l=0 v=0 q=- t=none S=[a=1;b=[1,2];{};\"c\";[x];] | "},
      {{"-", "-x"}, "x=0 l=0 v=0 q=- t=none S=[] | - -x"},
      {{"[", "-f", "x", "]"}, "x=0 l=0 v=0 q=- t=none S=[] | [ -f x ]"},
      {{"", "-x"}, "x=0 l=0 v=0 q=- t=none S=[] |  -x"},
      {{"--exclusve"}, "unknown option '--exclusve' (did you mean '--exclusive'?)"},
      {{"--time", "5"}, "unknown option '--time' (did you mean '--time-limit'?)"},
      {{"--time=5"}, "unknown option '--time' (did you mean '--time-limit'?)"},
      {{"--nothing-like-it"}, "unknown option '--nothing-like-it'"},
      {{"-z"}, "unknown option '-z'"},
      {{"-xz"}, "unknown option '-z'"},
      {{"-1"}, "unknown option '-1'"},
      {{"-\xc6\x92"}, "unknown option '-ƒ'"},
      {{"-x", "-q"}, "option '-q' needs a value: -q NAME"},
      {{"--setattr"}, "option '--setattr' needs a value: --setattr ATTR[=VAL]"},
      {{"--exclusive=yes"}, "option '--exclusive' takes no value"},
      {{"---x"}, "unknown option '---x'"},
  };
  for (const Case& each : cases) {
    Sample sample;
    EXPECT_EQ(sample.read(each.arguments), each.expected) << join(each.arguments, " ");
  }
}

TEST(OptionParser, counts_operands) {
  // Too few and too many operands are usage errors that name what is missing, or what is too much.
  const auto read = [](Operands operands, Words arguments) -> std::string {
    OptionParser parser{"fq-demo", "Demo.", operands};
    try {
      return join(parser.parse(std::move(arguments)), " ");
    } catch (const Error& failure) {
      return error_line("fq-demo", failure);
    }
  };
  EXPECT_EQ(read({"COMMAND [ARG...]", 1, Operands::kUnlimited, /*options_first=*/true}, {}),
            "fq-demo: COMMAND is missing (usage: fq-demo [OPTION...] COMMAND [ARG...])\n");
  EXPECT_EQ(read({"ID", 1, 1}, {"a", "b"}), "fq-demo: unexpected operand 'b'\n");
  EXPECT_EQ(read({}, {"a"}), "fq-demo: unexpected operand 'a'\n");
  EXPECT_EQ(read({"ID", 1, 1}, {"a"}), "a");
}

TEST(OptionParser, prints_help_and_version) {
  // The help page has usage, summary, groups with an option a line, examples and where to read more.
  Sample sample;
  CommonOptions common;
  sample.parser.option("--env", "RULE", sample.attributes,
                       "help that would not fit on the line of such names");
  sample.parser.option("--a-very-long-option-name", "FILE", sample.attributes, "");
  sample.parser.group("");
  sample.parser.option("--hidden", "X", sample.attributes, "not shown");
  add_common_options(sample.parser, common);
  sample.parser.example("fq-demo -x ls -l      list, alone on a node");
  const auto text_of = [&](Words arguments) {
    try {
      static_cast<void>(sample.parser.parse(std::move(arguments)));
    } catch (const EarlyExit& exit) {
      EXPECT_EQ(exit.code, 0);
      return exit.text;
    }
    return std::string{"no exit"};
  };
  const std::string expected =
      "Usage: fq-demo [OPTION...] COMMAND [ARG...]\n"
      "Show how options work.\n"
      "\n"
      "Size:\n"
      "  -x, --exclusive             whole nodes\n"
      "  -t, --time-limit MIN|FSD    time limit\n"
      "Other:\n"
      "  -l                          label\n"
      "  -v, --verbose               say more\n"
      "  -q, --queue NAME            queue\n"
      "  -S, --setattr ATTR[=VAL]    attribute\n"
      "      --env RULE, --a-very-long-option-name FILE\n"
      "                              help that would not fit on the line of such names\n"
      "Common options:\n"
      "      --store DIR             the store to use (default: $FQ_STORE)\n"
      "      --host HOST             on that machine, by ssh (default: $FQ_HOST)\n"
      "      --outer                 the store that encloses the instance of this job\n"
      "      --lock-timeout FSD      give up if the store is locked that long\n"
      "      --color WHEN            auto, always or never\n"
      "  -h, --help, --version       show this page; the version\n"
      "Examples:\n"
      "  fq-demo -x ls -l      list, alone on a node\n"
      "More: man fq-demo\n";
  EXPECT_EQ(text_of({"--help"}), expected);
  EXPECT_EQ(text_of({"-xh", "ls"}), expected);
  EXPECT_EQ(text_of({"ls", "--help"}), "no exit");
  EXPECT_TRUE(text_of({"--version"}).starts_with("fq-demo "));
}

TEST(OptionParser, a_help_page_fits_a_screen) {
  // What is rarely wanted is named below the rest where the page would take more than 23 lines; if that is
  // not enough the titles go, too.
  const auto page = [](int shown) {
    bool flag = false;
    OptionParser parser("fq-demo", "Show how options work.");
    parser.group("Rare");
    parser.flag("-r,--rare", flag, "rarely used");
    parser.flag("--same-line", flag, "");
    parser.rarely({"--rare", "--help"});
    parser.group("Many");
    for (int i = 0; i < shown; ++i) parser.flag(fmt::format("--option-{:02}", i), flag, "one of many");
    return parser.help();
  };
  EXPECT_TRUE(page(13).ends_with("More: man fq-demo\n"));
  EXPECT_NE(page(14).find("Rare:\n  -r, --rare, --same-line     rarely used\nMany:\n"), std::string::npos);
  EXPECT_NE(page(17).find("work.\n\nMany:\n      --option-00             one of many\n"), std::string::npos);
  EXPECT_NE(page(17).find("\nAlso: -r, --rare, --same-line, -h, --help, --version\nMore: man fq-demo\n"),
            std::string::npos);
  EXPECT_NE(page(18).find("work.\n      --option-00"), std::string::npos);
  const std::string full = page(18);
  EXPECT_EQ(std::count(full.begin(), full.end(), '\n'), 22);
}

TEST(OptionParser, gives_options_in_their_order_and_names_the_bad_one) {
  // Callbacks see values in the order of the command line; what they refuse becomes a usage error.
  OptionParser parser{"fq-demo", "Demo."};
  std::string order;
  parser.option(
      "-a", "X", [&](const std::string& value) { order += "a" + value; }, "a");
  parser.option(
      "-b,--bee", "X",
      [&](const std::string& value) {
        if (value == "0") throw error(Kind::invalid, "0 is not a number of bees");
        order += "b" + value;
      },
      "b");
  static_cast<void>(parser.parse(Words{"-a1", "-b2", "-a3", "--bee=4", "-a5"}));
  EXPECT_EQ(order, "a1b2a3b4a5");
  try {
    static_cast<void>(parser.parse(Words{"-b0"}));
    FAIL();
  } catch (const Error& failure) {
    EXPECT_EQ(failure.kind(), Kind::usage);
    EXPECT_STREQ(failure.what(), "--bee: 0 is not a number of bees");
  }
}

TEST(CommonOptions, read_store_lock_timeout_and_color) {
  // --store wins over FQ_STORE; an infinite lock time-out is none; a bad colour is a usage error.
  const auto read = [](Words arguments) -> std::string {
    OptionParser parser{"fq-demo", "Demo."};
    CommonOptions options;
    add_common_options(parser, options);
    try {
      static_cast<void>(parser.parse(std::move(arguments)));
    } catch (const Error& failure) {
      return error_line("fq-demo", failure);
    }
    return fmt::format("{} {} {}", options.store.value_or("-"), options.lock_timeout_s.value_or(-1),
                       static_cast<int>(options.color));
  };
  ::unsetenv("FQ_STORE");
  EXPECT_EQ(read({}), "- -1 0");
  ::setenv("FQ_STORE", "", 1);
  EXPECT_EQ(read({}), "- -1 0");
  ::setenv("FQ_STORE", "/env", 1);
  EXPECT_EQ(read({}), "/env -1 0");
  EXPECT_EQ(read({"--store=/opt", "--lock-timeout=2m", "--color=never"}), "/opt 120 2");
  EXPECT_EQ(read({"--lock-timeout", "inf", "--color", "always"}), "/env -1 1");
  EXPECT_EQ(read({"--color=alwys"}),
            "fq-demo: --color: expected auto, always or never, got 'alwys' (did you mean 'always'?)\n");
  EXPECT_EQ(read({"--lock-timeout=5x"}),
            "fq-demo: --lock-timeout: invalid duration '5x': unknown unit 'x', expected ms, s, m, h or "
            "d\n");
  ::unsetenv("FQ_STORE");
}

TEST(ListingOptions, read_format_sort_and_json) {
  // The four options of listings set their fields.
  OptionParser parser{"fq-demo", "Demo."};
  ListingOptions options;
  add_listing_options(parser, options);
  static_cast<void>(parser.parse(Words{"-no", "{id}", "--sort=-id", "--json"}));
  EXPECT_TRUE(options.no_header && options.json);
  EXPECT_EQ(options.format, "{id}");
  EXPECT_EQ(options.sort, "-id");
}

TEST(OptionParser, takes_options_behind_operands_that_are_no_command_line) {
  // Until `--`; a dash alone is an operand.
  const auto read = [](std::vector<std::string> arguments) {
    bool x = false;
    std::string q = "-";
    OptionParser parser("fq-demo", "show how options work", {"[ID...]", 0, Operands::kUnlimited});
    parser.flag("-x", x, "x");
    parser.option("-q", "NAME", q, "queue");
    const auto operands = parser.parse(std::move(arguments));
    return fmt::format("x={} q={} | {}", x ? 1 : 0, q, join(operands, " "));
  };
  EXPECT_EQ(read({"1", "-x", "2", "-q", "debug"}), "x=1 q=debug | 1 2");
  EXPECT_EQ(read({"1", "--", "-x", "--", "2"}), "x=0 q=- | 1 -x -- 2");
  EXPECT_EQ(read({"-", "-x"}), "x=1 q=- | -");
}

}  // namespace
}  // namespace fq::cli
