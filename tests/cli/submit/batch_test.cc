#include "cli/submit/batch.h"

#include <map>

#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/frame/run_tool.h"

namespace fq::cli {
namespace {

using Words = std::vector<std::string>;

/// Files by name; `-` is standard input.
const std::map<std::string, std::string> kScripts{
    {"-", "#!/bin/sh\n# fq: -n2 --job-name=given\nhostname\n"},
    {"dir/run.sh", "#!/bin/bash\n# fq: -n2 -c3 --env=A=1\n# fq: -t 5 --output=o\nrun\n"},
    {"bare", "# fq: -n2\nmake\n"},
    {"binary", std::string{"#!\0", 3}},
    {"latin1", "#!/bin/sh\n# \xe9\n"},
    {"windows", "#!/bin/sh\r\nrun\r\n"},
    {"typo", "#!/bin/sh\n\n# fq: -n2 --tim=5\n"},
    {"operand", "#!/bin/sh\n# fq: -n2 make\n"},
    {"help", "#!/bin/sh\n# fq: --help\n"},
    {"wrapped", "#!/bin/sh\n# fq: --wrap\n"},
    {"late", "#!/bin/sh\n# fq: -n2\nx\n# fq: -n3\n"},
};

const ReadInput kSource = [](const std::string& path) { return kScripts.at(path); };

ReadInput reading(const std::string& text) {
  return [text](const std::string&) { return text; };
}

std::string failure(Words arguments) {
  try {
    static_cast<void>(parse_batch(arguments, kSource));
    return "none";
  } catch (const Error& error) {
    return fmt::format("{} {}", exit_code(error.kind()), error_line("fq-batch", error));
  }
}

TEST(Batch, takes_options_from_the_script) {
  // Directives are the script's defaults; the script is kept whole, its arguments follow its place.
  const SubmitOptions submit = parse_batch({"dir/run.sh", "a", "-n9"}, kSource).submit;
  EXPECT_EQ(submit.ntasks, "2");
  EXPECT_EQ(submit.cores_per_task, "3");
  EXPECT_EQ(submit.time_limit, "5");
  EXPECT_EQ(submit.output, "o");
  EXPECT_EQ(submit.job_name, "run.sh");
  EXPECT_EQ(join(submit.command, "|"), "{{tmpdir}}/script|a|-n9");
  EXPECT_EQ(submit.script, kScripts.at("dir/run.sh"));
}

TEST(Batch, the_command_line_holds_against_the_script) {
  // The last value wins and the command line comes last; what may be repeated adds up in that order.
  const BatchOptions options =
      parse_batch({"--store=/s", "-n4", "--env=B=2", "--output=none", "dir/run.sh"}, kSource);
  EXPECT_EQ(options.submit.ntasks, "4");
  EXPECT_EQ(options.submit.cores_per_task, "3");
  ASSERT_EQ(options.submit.env.size(), 2U);
  EXPECT_EQ(options.submit.env[0].text + " " + options.submit.env[1].text, "A=1 B=2");
  EXPECT_EQ(options.submit.output, "none");
  EXPECT_EQ(options.common.store, "/s");
}

TEST(Batch, reads_standard_input) {
  // Without a script; the name is `batch` unless one is given, the output has a file of its own.
  EXPECT_EQ(parse_batch({}, kSource).submit.job_name, "given");
  const ReadInput plain = reading("#!/bin/sh\nrun\n");
  const SubmitOptions submit = parse_batch({"-n1"}, plain).submit;
  EXPECT_EQ(submit.job_name, "batch");
  EXPECT_EQ(submit.output, "fq-{{id}}.out");
  EXPECT_EQ(submit.script, "#!/bin/sh\nrun\n");
}

TEST(Batch, wraps_commands) {
  // The operands, or standard input, after #!/bin/sh; lines of directives keep their numbers.
  SubmitOptions submit = parse_batch({"-n1", "--wrap", "/bin/echo", "a  b", "-x"}, kSource).submit;
  EXPECT_EQ(submit.script, "#!/bin/sh\n/bin/echo a  b -x\n");
  EXPECT_EQ(submit.job_name, "echo");
  EXPECT_EQ(join(submit.command, "|"), "{{tmpdir}}/script");
  EXPECT_EQ(parse_batch({"-n1", "--wrap", "sleep 5; true"}, kSource).submit.job_name, "sleep");
  const ReadInput bare = reading(kScripts.at("bare"));
  submit = parse_batch({"--wrap"}, bare).submit;
  EXPECT_EQ(submit.script, "#!/bin/sh\n# fq: -n2\nmake\n");
  EXPECT_EQ(submit.ntasks, "2");
  const ReadInput typo = reading("# fq: -Z\n");
  try {
    static_cast<void>(parse_batch({"--wrap"}, typo));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "standard input: line 1: unknown option '-Z'");
  }
}

TEST(Batch, refuses_what_is_no_script) {
  // Text without an interpreter, with none that could be found, or that is no text.
  EXPECT_EQ(failure({"bare"}),
            "1 fq-batch: 'bare': a script begins with '#!' and an interpreter (--wrap puts '#!/bin/sh' in "
            "front)\n");
  EXPECT_EQ(failure({"binary"}), "1 fq-batch: 'binary': not a script: it is not UTF-8 text\n");
  EXPECT_EQ(failure({"latin1"}), "1 fq-batch: 'latin1': not a script: it is not UTF-8 text\n");
  EXPECT_EQ(failure({"windows"}),
            "1 fq-batch: 'windows': the lines end in carriage returns, which no interpreter takes\n");
}

TEST(Batch, says_where_a_directive_is_wrong) {
  // File and line; a wrong option is wrong usage, a wrong form a wrong script.
  EXPECT_EQ(failure({"typo"}),
            "2 fq-batch: 'typo': line 3: unknown option '--tim' (did you mean '--time-limit'?)\n");
  EXPECT_EQ(failure({"operand"}), "2 fq-batch: 'operand': line 2: unexpected operand 'make'\n");
  EXPECT_EQ(failure({"help"}), "2 fq-batch: 'help': line 2: --help and --version say nothing of a job\n");
  EXPECT_EQ(failure({"wrapped"}), "2 fq-batch: 'wrapped': line 2: unknown option '--wrap'\n");
  EXPECT_EQ(failure({"late"}),
            "1 fq-batch: 'late': line 4: the directives ended with line 2, '# fq:' comes too late\n");
  EXPECT_EQ(failure({"--cc=1-2", "bare"}),
            "2 fq-batch: unknown option '--cc' (copies of a script: for i in 1 2 3; do fq batch "
            "--env=i=$i SCRIPT; done)\n");
}

}  // namespace
}  // namespace fq::cli
