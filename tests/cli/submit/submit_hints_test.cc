// What a submission is told of that is right but will surprise.

#include "cli/submit/submit_hints.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/text.h"
#include "support/temp_directory.h"

namespace fq::cli {
namespace {

class SubmitHints : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(at("dir"));
    std::ofstream(at("plain")) << "text";
    std::ofstream(at("run")) << "#!/bin/sh\n";
    std::filesystem::permissions(at("run"), std::filesystem::perms::owner_all);
  }

  [[nodiscard]] std::string at(const std::string& name) const { return directory_.path() + "/" + name; }

  /// The hints about a command line, a line each.
  std::string hints(std::vector<std::string> arguments) {
    OptionParser parser{"fq-submit", "", {"COMMAND", 1, Operands::kUnlimited, /*options_first=*/true}};
    SubmitOptions options;
    add_submit_options(parser, options);
    options.command = parser.parse(std::move(arguments));
    Surroundings surroundings;
    surroundings.cwd = directory_.path();
    surroundings.now = 1795257930;
    surroundings.environment = {{"PATH", "/nowhere:" + directory_.path()}};
    return join(submit_hints(options, surroundings), "\n");
  }

 private:
  test::TempDirectory directory_;
};

TEST_F(SubmitHints, programs) {
  // One that is not there, is no file, may not be run; by path from the job's directory, or in PATH.
  EXPECT_EQ(hints({"run"}) + hints({"./run"}) + hints({"--cwd=dir", "../run"}) + hints({at("run")}), "");
  EXPECT_EQ(hints({"nosuch"}), "there is no program 'nosuch' in $PATH");
  EXPECT_EQ(hints({"./nosuch"}), "there is no program './nosuch'");
  EXPECT_EQ(hints({"--cwd=dir", "./run"}), "there is no program './run'");
  EXPECT_EQ(hints({"./dir"}), "'./dir' is a directory");
  EXPECT_EQ(hints({"./plain"}), "'./plain' is not executable");
}

TEST_F(SubmitHints, a_script_with_options_for_fq_batch) {
  // Other scripts, and what has no script's first line, have none.
  const auto said = [&](const std::string& text) {
    std::ofstream(at("run")) << text;
    return hints({"./run"});
  };
  const std::string told = "'./run' has options for fq batch, which are not read here";
  EXPECT_EQ(said("#!/bin/sh\n# fq: -n4\nmake\n"), told);
  EXPECT_EQ(said("#!/bin/sh\n#FLUX: -n4\nmake\n" + std::string(5000, '#')), told);
  EXPECT_EQ(said("#!/bin/sh\n# made by hand\nmake\n") + said("# fq: -n4\n") + said("#!/bin/sh\n# fq: \"\n"),
            "");
}

TEST_F(SubmitHints, what_is_not_known_yet_is_left_alone) {
  // Copies replace parts; jobs before may make the file; another PATH may be given.
  EXPECT_EQ(hints({"./run{cc}"}) + hints({"--dependency=afterok:1", "./nosuch"}) +
                hints({"--env=PATH=/opt", "nosuch"}),
            "");
}

TEST_F(SubmitHints, directory_and_input) {
  // The job would run elsewhere, or fail.
  EXPECT_EQ(hints({"--cwd=nosuch", "run"}), "the directory 'nosuch' is not there: without it the job fails");
  EXPECT_EQ(hints({"--input=./nosuch", "run"}), "--input: './nosuch' is not there, or cannot be read");
  EXPECT_EQ(hints({"--input=./plain", "run"}), "");
}

TEST_F(SubmitHints, attributes_and_tags) {
  // Near misses of what is read; others may be somebody's own.
  EXPECT_EQ(hints({"-S", "duraton=5", "run"}),
            "nothing reads the attribute 'attributes.system.duraton' (did you mean 'duration'?)");
  EXPECT_EQ(hints({"-S", "queue=a", "-S", "job.name=x", "-S", "user.duraton=1", "-S", "colour=blue", "run"}),
            "");
  SubmitOptions options;
  options.output = "out-%x-%j";
  options.error = "err-%a";
  EXPECT_EQ(join(submit_warnings(options), "\n"),
            "--output: '%j' stands for nothing (did you mean '{{id}}'?)\n"
            "--output: '%x' stands for nothing (did you mean '{{name}}'?)\n"
            "--error: '%a' stands for nothing");
  options.output = "{{jobid.dec}}-{{task.rank}}";
  options.error.reset();
  EXPECT_EQ(join(submit_warnings(options), "\n"), "");
}

TEST_F(SubmitHints, directories_of_output) {
  // One that is not there, as seen from the job's own; not where it has tags, or where a job before may make
  // it.
  EXPECT_EQ(hints({"--output=no/x", "--error=/nowhere/x", "run"}),
            "--output: the directory 'no/' is not there\n--error: the directory '/nowhere/' is not there");
  EXPECT_EQ(hints({"--output=dir/x", "--error=x", "run"}) + hints({"--output={{id}}/x", "run"}) +
                hints({"--dependency=afterok:1", "--output=no/x", "run"}),
            "");
}

TEST_F(SubmitHints, times_that_change_nothing) {
  // A begin time that has been; a warning before a limit that there is not, or that is too short for it.
  EXPECT_EQ(hints({"--begin-time=2020-01-01", "run"}),
            "--begin-time: '2020-01-01' has been: the job does not wait for it");
  EXPECT_EQ(hints({"--begin-time=now", "run"}) + hints({"--begin-time=+1s", "run"}), "");
  EXPECT_EQ(hints({"--signal=USR1@10s", "run"}),
            "--signal: it comes before a time limit, and --time-limit gives none");
  EXPECT_EQ(hints({"--signal=@10s", "-t5s", "run"}),
            "--signal: 10s before a limit of '5s' is before the job begins");
  EXPECT_EQ(hints({"--signal=@10s", "-t1", "run"}) + hints({"--signal=9", "-t1", "run"}) +
                hints({"--signal=@10s", "-qbatch", "run"}),
            "");
}

TEST_F(SubmitHints, directives_of_other_systems) {
  // Said once, by the first such line; not where the script has fq's own.
  const std::string hint = "'a.sh': line 2: #SBATCH lines are comments to fq, which reads `# fq: -n4 -t 1h`";
  EXPECT_EQ(foreign_directives("'a.sh'", "#!/bin/sh\n#SBATCH -N2\n#SBATCH -t 1\n"), hint);
  EXPECT_EQ(foreign_directives("'a.sh'", "#!/bin/sh\n# fq: -N2\n#SBATCH -N2\n"), "");
  EXPECT_EQ(foreign_directives("'a.sh'", "#!/bin/sh\n# SBATCH\n"), "");
}

}  // namespace
}  // namespace fq::cli
