#include "cli/submit/bulk_plan.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "document/jobspec/jobspec.h"
#include "support/error_text.h"

namespace fq::cli {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

const ReadInput kNoFiles = [](const std::string&) -> std::string { throw Error{Kind::not_found, "no file"}; };

int files_read = 0;

Surroundings sample_surroundings() {
  Surroundings surroundings;
  surroundings.cwd = "/home/user";
  surroundings.environment = {{"PATH", "/bin"}, {"QUOTE", "a\"b\\c"}};
  surroundings.read_file = [](const std::string&) {
    ++files_read;
    return std::string{"E=1\n"};
  };
  return surroundings;
}

BulkOptions parse(Words arguments, Words& operands) {
  OptionParser parser{
      "fq-bulksubmit", "Submit.", {"COMMAND [ARG...]", 0, Operands::kUnlimited, /*options_first=*/true}};
  BulkOptions options;
  add_bulk_options(parser, options);
  operands = parser.parse(std::move(arguments));
  return options;
}

/// A plan of fq-bulksubmit where the arguments have `:::`, else of fq-submit.
class Plan {
 public:
  explicit Plan(Words arguments) {
    define_method(methods_, "half=int(x)//2");
    Words operands;
    BulkOptions options = parse(std::move(arguments), operands);
    const bool bulk = std::find(operands.begin(), operands.end(), ":::") != operands.end();
    if (bulk) {
      plan_ = std::make_unique<BulkPlan>(options, BulkInputs(operands, {}, kNoFiles), methods_,
                                         sample_surroundings());
    } else {
      options.submit.command = operands;
      plan_ = std::make_unique<BulkPlan>(options, sample_surroundings());
    }
  }
  BulkPlan& operator*() const { return *plan_; }
  BulkPlan* operator->() const { return plan_.get(); }

 private:
  InputMethods methods_;
  std::unique_ptr<BulkPlan> plan_;
};

Words jobspecs(const std::vector<request::JobGroup>& requests) {
  Words texts;
  for (const request::JobGroup& request : requests)
    request.for_each_jobspec([&](const std::string& text) { texts.push_back(text); });
  return texts;
}

/// The jobs' names, commands and copy numbers, the portions that they come in, and how many requests these
/// have.
std::string show(Words arguments, std::size_t most = 1000) {
  std::string out;
  const std::string failure = error_text([&] {
    const Plan plan(std::move(arguments));
    std::size_t jobs = 0;
    for (;;) {
      const auto portion = plan->next(most);
      if (portion.jobs == 0) break;
      out += fmt::format("{}{}:", out.empty() ? "" : " ", portion.request.groups.size());
      const Words texts = jobspecs(portion.request.groups);
      EXPECT_EQ(texts.size(), portion.jobs);
      EXPECT_TRUE(portion.follow.size() == 1 || portion.follow.size() == portion.jobs);
      jobs += portion.jobs;
      for (const std::string& text : texts) {
        const auto jobspec = document::Jobspec::parse(text);
        out += " " + join(jobspec.command(), ",");
        if (jobspec.has_explicit_name()) out += "=" + jobspec.name();
        if (jobspec.environment()->contains("FLUX_JOB_CC")) {
          out += "#" + jobspec.environment()->at("FLUX_JOB_CC").get<std::string>();
        }
      }
    }
    EXPECT_EQ(jobs, plan->size());
    return 0;
  });
  return failure == "no error" ? out : failure;
}

TEST(BulkPlan, gives_copies_one_request) {
  // One job is one jobspec; copies share one, in portions of the size asked for.
  EXPECT_EQ(show({"true"}), "1: true");
  EXPECT_EQ(show({"--cc=1-3", "--job-name=j{cc}", "echo", "{cc}"}), "1: echo,1=j1#1 echo,2=j2#2 echo,3=j3#3");
  EXPECT_EQ(show({"--bcc=1-3", "echo", "{cc}"}, 2), "1: echo,1 echo,2 1: echo,3");
  EXPECT_EQ(show({"echo", "{cc}", "{}"}), "1: echo,{cc},{}");
}

TEST(BulkPlan, gives_inputs_one_request) {
  // Jobs that differ in words, names and output files share a jobspec; each has its texts.
  EXPECT_EQ(show({"echo", "{}", ":::", "a", "b \"c\"", "{id}"}), "1: echo,a echo,b \"c\" echo,{id}");
  EXPECT_EQ(show({"--job-name={./}", "{}", "{seq}{}", ":::", "/bin/a", "b"}), "1: /bin/a,0/bin/a=a b,1b=b");
  EXPECT_EQ(show({"--cc=5-6", "echo", "{}{cc}", ":::", "a", "b"}),
            "1: echo,a5#5 echo,a6#6 echo,b5#5 echo,b6#6");
  EXPECT_EQ(show({"--output=o{}", "x", ":::", "1", "2", "3"}, 2), "1: x x 1: x");
  EXPECT_EQ(show({"x", ":::", "1", "2"}), "1: x x");
  EXPECT_EQ(show({":::", "a b", "sh -c 'x y'"}), "1: a,b sh,-c,x y");
  EXPECT_EQ(show({"--cc=0-{}", "echo", "{cc}", ":::", "1", "2"}),
            "2: echo,0#0 echo,1#1 echo,0#0 echo,1#1 echo,2#2");
}

TEST(BulkPlan, gives_the_copies_of_an_input_its_texts_once) {
  // A request has a row for each input, and the numbers of its copies; a portion may end within a row.
  const Plan plan({"--cc=5-7", "echo", "{}{cc}-{cc}", "{cc}", ":::", "a", "b"});
  const auto portion = plan->next(4);
  EXPECT_EQ(portion.jobs, 4U);
  ASSERT_EQ(portion.request.groups.size(), 2U);
  EXPECT_EQ(portion.request.groups[0].rows.size(), 1U);
  EXPECT_EQ(portion.request.groups[0].copies.encode(), "5-7");
  EXPECT_EQ(portion.request.groups[1].copies.encode(), "5");
  EXPECT_EQ(document::Jobspec::parse(jobspecs(portion.request.groups).at(3)).command(),
            (Words{"echo", "b5-5", "5"}));
  const auto rest = plan->next(4);
  EXPECT_EQ(rest.jobs, 2U);
  EXPECT_EQ(document::Jobspec::parse(jobspecs(rest.request.groups).at(1)).command(),
            (Words{"echo", "b7-7", "7"}));
}

TEST(BulkPlan, builds_jobs_that_differ_otherwise_one_by_one) {
  // Sizes, environment that rules work on, what -S and -o set; output that is none; each job still is what
  // its own options say.
  EXPECT_EQ(show({"-n", "{}", "x", ":::", "1", "2"}), "2: x x");
  EXPECT_EQ(show({"--cc=1-2", "-n{cc}", "x"}), "2: x#1 x#2");
  EXPECT_EQ(show({"--output={}", "x", ":::", "a", "none", "b", "c"}), "3: x x x x");
  EXPECT_EQ(show({"--env=A=${PATH}{cc}", "--cc=1-2", "x"}), "2: x#1 x#2");
  EXPECT_EQ(show({"--env=A={cc}", "--env=B=$A", "--cc=1-2", "x"}), "2: x#1 x#2");
  EXPECT_EQ(show({"--env=A={}", "x", ":::", "1", "$PATH", "{{id}}"}), "3: x x x");
  EXPECT_EQ(show({"-Suser.x={cc}", "--bcc=1-2", "x"}), "2: x x");
  EXPECT_EQ(show({"-Ssystem.job.name=own", "--job-name=j{cc}", "--bcc=1-2", "x"}), "2: x=own x=own");
  EXPECT_EQ(show({"-Ssystem.job={\"name\":\"own\"}", "--job-name=j{cc}", "--bcc=1-2", "x"}),
            "2: x=own x=own");
  EXPECT_EQ(show({"-ooutput.stdout.path=o", "--output={cc}", "--bcc=1-2", "x"}), "2: x x");
  EXPECT_EQ(show({"-ooutput.stdout.label", "--output={cc}", "--bcc=1-2", "x"}), "1: x x");
  const Plan plan({"--output={}", "-n", "{.half}", "x", ":::", "2", "4"});
  const Words texts = jobspecs(plan->next(10).request.groups);
  EXPECT_EQ(document::Jobspec::parse(texts.at(1)).ntasks(), 2U);
}

/// Compares what the plan gives for inputs, each with copies 1 and 2, with what their own options make.
void expect_single_jobspecs(const Words& arguments, std::size_t requests) {
  const Plan plan(arguments);
  const auto portion = plan->next(100);
  EXPECT_EQ(portion.request.groups.size(), requests);
  const Words texts = jobspecs(portion.request.groups);
  std::size_t job = 0;
  for (std::size_t row = 0; row < plan->rows().size(); ++row) {
    for (std::uint32_t number = 1; number <= 2; ++number, ++job) {
      const BulkOptions options = with_copy_number(plan->rows().options(row), number);
      EXPECT_EQ(texts.at(job), single_jobspec(options, sample_surroundings(), number));
    }
  }
  EXPECT_EQ(job, texts.size());
}

TEST(BulkPlan, common_jobspecs_are_those_of_single_jobs) {
  // What shares a jobspec is the same, byte for byte, as what each job's options alone make.
  const Words inputs{":::", "a", "b'\"\\\n\t\x7f", "ƒ", "/c/{d}", "{cc}"};
  const auto with = [&](Words arguments) {
    arguments.insert(arguments.end(), inputs.begin(), inputs.end());
    return arguments;
  };
  expect_single_jobspecs(with({"--cc=1-2", "--job-name=n-{}{cc}", "--output=o-{./}-{cc}", "--error={{id}}-{}",
                               "-t5", "{}", "x{cc}", "{seq}"}),
                         1);
  expect_single_jobspecs(with({"--cc=1-2", "--env=-*", "--env=PATH", "--env=A={}{cc}{cc}", "--env=B/~={}",
                               "--cwd=w{cc}/{}", "--input=i{cc}{}", "-Suser.y=1", "-overbose=1", "x"}),
                         1);
  expect_single_jobspecs(with({"--cc=1-2", "--cwd={}", "{cc}"}), 1);
  expect_single_jobspecs({"--bcc=1-2", "x", "{cc}"}, 1);
  expect_single_jobspecs({"--cc=1-2", "x"}, 1);
  expect_single_jobspecs({"--cc=1-2", ":::", "a {cc} 'b c'", "d{cc}{cc}"}, 1);
}

TEST(BulkPlan, says_what_follows_for_each_job) {
  // Events to wait for are one for all jobs, unless they differ.
  const auto events = [](Words arguments) {
    std::string out;
    for (const JobFollow& follow : Plan(std::move(arguments))->next(10).follow) {
      out += follow.wait_event.value_or("-") + " ";
    }
    return out;
  };
  EXPECT_EQ(events({"x", ":::", "a", "b"}), "- ");
  EXPECT_EQ(events({"--wait", "--cc=1-3", "x"}), "clean ");
  EXPECT_EQ(events({"--wait-event={}", "x", ":::", "start", "clean"}), "start clean ");
  EXPECT_EQ(events({"--wait-event=e{cc}", "--cc=1-2", "x"}), "e1 e2 ");
}

TEST(BulkPlan, shows_the_options_of_a_row) {
  // All that were given, those without substitutions too, and the command, as a shell would read them.
  const auto line = [](Words arguments) { return Plan(std::move(arguments))->rows().show(0); };
  EXPECT_EQ(line({"-n{}", "-t5", "--job-name=a {}", "sh", "-c", "x {}", ":::", "7"}),
            "-n7 -t5 --job-name='a 7' sh -c 'x 7'");
  EXPECT_EQ(line({"--cc=1-2", "--env=X={cc}", "echo", "{}", ":::", "7"}), "--env=X={cc} --cc=1-2 echo 7");
  EXPECT_EQ(line({":::", "a  'b c'"}), "a 'b c'");
}

TEST(BulkPlan, refuses_the_whole_for_one_job) {
  // The check finds what is wrong with any job, and leaves the plan as it was.
  const auto check = [](Words arguments) {
    return error_text([&] {
      const Plan plan(std::move(arguments));
      plan->check();
      EXPECT_EQ(jobspecs(plan->next(100).request.groups).size(), plan->size());
      return 0;
    });
  };
  EXPECT_EQ(check({"-n{}", "x", ":::", "1", "2", "x"}),
            "--ntasks: expected a whole number from 1 to 2147483647, got 'x'");
  EXPECT_EQ(check({"-n{}", "x", ":::", "1", "2"}), "no error");
  EXPECT_EQ(check({"--cc=1-3", "x{}", ":::", "1", "2"}), "no error");
  EXPECT_EQ(check({"--cc=1-3", "x"}), "no error");
  EXPECT_EQ(check({"--cc=1-3", "--urgency=99", "x"}),
            "--urgency: expected 0 to 31, hold, default or expedite, got '99'");
  const Plan plan({"-n{}", "x", ":::", "1", "2", "3"});
  plan->check();
  EXPECT_EQ(plan->next(2).jobs, 2U);
  EXPECT_EQ(plan->next(2).jobs, 1U);
  EXPECT_EQ(plan->next(2).jobs, 0U);
  EXPECT_EQ(check({"{}", ":::", "a", ""}), "the command to run is empty");
  EXPECT_EQ(check({":::", "a", " "}), "the command to run is missing");
  EXPECT_EQ(check({":::", "a", "'b"}), "''b': no closing quote");
  EXPECT_EQ(check({"echo", "{}", ":::", "a", "\xff"}),
            "'\\xff' is not valid UTF-8, which a jobspec cannot carry");
  EXPECT_EQ(check({"-t{.half}", "x", ":::", "1", "a"}), "{.half} of 'a': 'a' is not a whole number");
  EXPECT_EQ(check({"--cc={}", "x", ":::", "1", "2-1"}),
            "--cc: invalid idset '2-1': range '2-1' does not ascend at character 1");
  EXPECT_EQ(check({"echo", "{1}", ":::", "1"}), "command '{1}': {1}: there is 1 input, {0}");
  EXPECT_EQ(check({"-t{x}", "echo", ":::", "1"}), "-t'{x}': {x}: there is no such substitution");
  EXPECT_EQ(check({"echo", "{cc}", ":::", "1"}), "command '{cc}': {cc} needs --cc or --bcc");
}

TEST(BulkPlan, a_request_is_no_larger_than_a_store_takes) {
  // Jobs with long inputs come in more portions, be they texts in a common jobspec or jobspecs; one that is
  // too large for any store is refused before the first of them is stored.
  const std::string megabyte(std::size_t{1} << 20, 'x');
  Words inputs{":::"};
  for (int i = 0; i < 20; ++i) inputs.push_back(megabyte);
  const auto portions = [&](Words arguments) {
    arguments.insert(arguments.end(), inputs.begin(), inputs.end());
    const Plan plan(std::move(arguments));
    plan->check();
    std::vector<std::size_t> jobs;
    while (jobs.empty() || jobs.back() > 0) jobs.push_back(plan->next(1000).jobs);
    return jobs;
  };
  EXPECT_EQ(portions({"x{}"}), (std::vector<std::size_t>{16, 4, 0}));
  EXPECT_EQ(portions({"x{}{}"}), (std::vector<std::size_t>{8, 8, 4, 0}));
  EXPECT_EQ(portions({"-n{seq1}", "x{}"}), (std::vector<std::size_t>{16, 4, 0}));
  for (const char* option : {"-n1", "-n{seq1}"}) {
    const std::string refusal = error_text([&] { return portions({option, "{}{}{}{}x"}); });
    EXPECT_TRUE(refusal.starts_with("jobspec: 419") &&
                refusal.ends_with(" are more than the 4194304 allowed"))
        << refusal.substr(0, 200);
  }
}

TEST(BulkPlan, shuffles_rows_and_keeps_them) {
  // Every input comes once, with its own number.
  Words arguments{"echo", "{seq}={}", ":::"};
  for (int i = 0; i < 200; ++i) arguments.push_back(std::to_string(i));
  const Plan plan(arguments);
  const Words ordered = jobspecs(Plan(arguments)->next(1000).request.groups);
  plan->shuffle();
  plan->check();
  Words shuffled = jobspecs(plan->next(1000).request.groups);
  EXPECT_NE(shuffled, ordered);
  EXPECT_TRUE(std::is_permutation(shuffled.begin(), shuffled.end(), ordered.begin(), ordered.end()));
}

TEST(BulkPlan, reads_files_once) {
  // Environment rules in a file are the same for all jobs.
  files_read = 0;
  const Plan plan({"--env-file=f", "-n{}", "x", ":::", "1", "2", "3"});
  plan->check();
  EXPECT_EQ(plan->next(10).jobs, 3U);
  EXPECT_EQ(files_read, 1);
}

}  // namespace
}  // namespace fq::cli
