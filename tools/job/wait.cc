// fq-job wait, status, attach: until a job has ended.

#include "request/wait.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "cli/follow/attach.h"
#include "cli/follow/attach_status.h"
#include "cli/follow/job_failure.h"
#include "cli/follow/own_jobs.h"
#include "cli/frame/common_options.h"
#include "cli/frame/damaged_option.h"
#include "cli/frame/job_values.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/frame/run_tool.h"
#include "cli/jobs/job_json.h"
#include "door/door.h"
#include "frame/store_session.h"
#include "job/commands.h"
#include "notation/fsd.h"
#include "request/find_job.h"

namespace fq::tools::job {

namespace {

// Says how the job ended if it failed, or in any case when `verbose`.
void say_end(const fq::job::Job& job, bool verbose) {
  const auto failure = cli::failure_text(job);
  if (failure || verbose) {
    cli::say("fq-job", fmt::format("{}: {}", job.id, failure.value_or("completed")));
  }
}

int wait_for(const door::Door& door, const std::vector<notation::JobId>& ids, double timeout_s,
             bool verbose) {
  if (ids.size() > 1) door.ask(request::RequireJobsRequest{ids});
  cli::require_not_own(door, ids);
  const double start = door.clock().boot_time();
  int worst = 0;
  for (const notation::JobId id : ids) {
    const double left_s = timeout_s - (door.clock().boot_time() - start);
    std::optional<fq::job::Job> job;
    try {
      job = door.ask(request::WaitForJobRequest{id, std::max(left_s, 0.0)}).job;
    } catch (const Error& failure) {
      if (failure.kind() != Kind::timeout) throw;
      throw error(Kind::timeout, "job {} has not ended within {} s", id, timeout_s);
    }
    const bool waitable = (job->flags & fq::job::kFlagWaitable) != 0 && job->userid == door.userid();
    if (waitable) door.ask(request::TakeResultRequest{id});
    say_end(*job, verbose);
    worst = std::max(worst, fq::job::exit_code(*job));
  }
  return worst;
}

// The caller's waitable jobs that have ended, at most so many; none when there is none left.
std::vector<fq::job::Job> next_ended(const door::Door& door, std::size_t most, double start,
                                     double timeout_s) {
  const double left_s = start + timeout_s - door.clock().boot_time();
  auto jobs = door.ask(request::WaitForWaitableRequest{most, left_s, cli::own_jobs(door)}).jobs;
  if (!jobs) throw error(Kind::timeout, "waitable jobs have not ended within {} s", timeout_s);
  return *std::move(jobs);
}

// Flux's exit codes: 0 the job completed, 1 it failed, 2 there is none.
int wait_for_next(const door::Door& door, double timeout_s, bool verbose) {
  const auto jobs = next_ended(door, 1, door.clock().boot_time(), timeout_s);
  if (jobs.empty()) {
    cli::say("fq-job", "no waitable job is left (submit with --flags=waitable)");
    return 2;
  }
  cli::print(fmt::format("{}\n", jobs.front().id));
  say_end(jobs.front(), verbose);
  return fq::job::exit_code(jobs.front()) == 0 ? 0 : 1;
}

int wait_for_all(const door::Door& door, double timeout_s, bool verbose) {
  constexpr std::size_t kAtOnce = 10'000;
  const double start = door.clock().boot_time();
  int code = 0;
  for (;;) {
    const auto jobs = next_ended(door, kAtOnce, start, timeout_s);
    if (jobs.empty()) return code;
    for (const fq::job::Job& job : jobs) {
      say_end(job, verbose);
      if (fq::job::exit_code(job) != 0) code = 1;
    }
  }
}

int parse_exit_code(const std::string& text) {
  constexpr std::uint64_t kLargest = 255;
  const auto number = parse_u64(text);
  if (!number || *number > kLargest) {
    throw error(Kind::usage, "expected an exit code from 0 to {}, got {}", kLargest, quote(text));
  }
  return static_cast<int>(*number);
}

// The job's exit code; of one that an exception ended at least `exception_code`, or that alone if it never
// ran.
int exit_code_of(const fq::job::Job& job, int exception_code) {
  const bool ended_by_it = job.exception.occurred && job.exception.severity == 0;
  if (!ended_by_it) return fq::job::exit_code(job);
  return job.finished ? std::max(fq::job::exit_code(job), exception_code) : exception_code;
}

}  // namespace

int wait(int argc, char** argv) {
  cli::CommonOptions common;
  double timeout_s = request::kNoTimeout;
  bool verbose = false, all = false;
  cli::OptionParser parser("fq-job wait", "wait for jobs, or for those submitted with --flags=waitable",
                           {"[ID...]", 0, cli::Operands::kUnlimited});
  parser.example("fq job wait ƒ2GMuTnf");
  parser.example("fq job wait --all");
  parser.group("Options");
  parser.flag("-a,--all", all, "wait for all waitable jobs");
  parser.flag("-v,--verbose", verbose, "say how a job ended even if it completed");
  parser.option(
      "-t,--timeout", "FSD", [&](const std::string& value) { timeout_s = notation::parse_fsd(value); },
      "give up after that long, with exit code 124");
  cli::add_common_options(parser, common);
  const auto operands = parser.parse(argc, argv);
  if (all && !operands.empty()) throw Error{Kind::combination, "give either job ids or --all, not both"};
  const std::vector<notation::JobId> ids = cli::parse_job_ids(operands);
  const tools::StoreSession store("fq-job", common);
  if (!ids.empty()) return wait_for(store.get(), ids, timeout_s, verbose);
  return all ? wait_for_all(store.get(), timeout_s, verbose) : wait_for_next(store.get(), timeout_s, verbose);
}

int status(int argc, char** argv) {
  cli::CommonOptions common;
  bool verbose = false, json = false;
  int exception_code = 1;
  cli::OptionParser parser("fq-job status", "wait for jobs; the exit code is the largest of theirs",
                           {"ID...", 1, cli::Operands::kUnlimited});
  parser.example("fq job status -v ƒ2GMuTnf ƒ2KcBtaT");
  parser.group("Options");
  parser.flag("-v,--verbose", verbose, "say how each one ended that did not complete");
  parser.option(
      "-e,--exception-exit-code", "N",
      [&](const std::string& value) { exception_code = parse_exit_code(value); },
      "that of jobs ended by an exception, at least (1)");
  parser.flag("-j,--json", json, "print each job as JSON, a line each");
  cli::add_common_options(parser, common);
  std::vector<notation::JobId> ids;
  for (const std::string& operand : parser.parse(argc, argv)) ids.push_back(cli::parse_job_id(operand));
  const tools::StoreSession store("fq-job", common);
  store.get().ask(request::RequireJobsRequest{ids});
  cli::require_not_own(store.get(), ids);
  int worst = 0;
  for (const notation::JobId id : ids) {
    const fq::job::Job job = store.get().ask(request::WaitForJobRequest{id}).job;
    worst = std::max(worst, exit_code_of(job, exception_code));
    if (json) {
      std::string line;
      cli::append_job_json(line, {&job, store.now()});
      cli::print(line + "\n");
    }
    const auto failure = cli::failure_text(job);
    if (verbose && failure) cli::say("fq-job", fmt::format("{}: {}", id, *failure));
  }
  return worst;
}

// Somebody else's -i is for a terminal, which comes by itself here.
notation::Idset input_ranks(const std::string& value) {
  try {
    return notation::Idset::decode(value);
  } catch (const Error& failure) {
    if (!value.starts_with("ƒ") && !value.starts_with('f')) throw;
    throw Error{failure.kind(), failure.what(),
                "-i is for ranks of tasks; a job's terminal is attached to without it"};
  }
}

int attach(int argc, char** argv) {
  cli::CommonOptions common;
  cli::AttachOptions options{
      .command = "fq-job", .input = cli::AttachOptions::Input::if_taken, .show_redirects = true};
  int verbose = 0;
  cli::OptionParser parser("fq-job attach", "show a job's output as it comes; the exit code is the job's",
                           {"ID", 1, 1});
  parser.example("fq job attach -l $(fq job last)");
  parser.group("Output");
  parser.flag("-l,--label-io", options.label_io, "each line after the rank of its task");
  parser.flag("-E,--show-events", options.events.job, "the job's events, on stderr");
  parser.flag("-X,--show-exec", options.events.exec, "the events of its shell, on stderr");
  parser.flag("--show-status", options.show_status, "what it waits for, also off a terminal");
  parser.count("-v,--verbose", verbose, "the id; -vv: as -E; -vvv: as -E -X");
  parser.flag("-q,--quiet", options.hide_messages, "no warnings of its shell, nor where output goes");
  parser.option("-w,--wait-event", "EVENT", options.events.wait, "leave when this event comes");
  parser.group("Input");
  parser.option(
      "-i,--stdin-ranks", "RANKS",
      [&](const std::string& value) { options.input_ranks = input_ranks(value); },
      "only to these tasks; the others read nothing");
  parser.flag("-u,--unbuffered", options.unbuffered_input, "byte for byte, not line by line");
  parser.flag(
      "-r,--read-only", [&] { options.input = cli::AttachOptions::Input::none; },
      "pass nothing on from stdin");
  cli::add_common_options(parser, common);
  cli::add_damaged_option(parser, common);
  const auto operands = parser.parse(argc, argv);
  const notation::JobId id = cli::parse_job_id(operands[0]);
  const tools::StoreSession store("fq-job", common);
  if (options.hide_messages) {
    options.quiet = true;
    options.show_redirects = false;
  }
  const auto more = cli::shown_events(verbose);
  options.events.job = options.events.job || more.job;
  options.events.exec = options.events.exec || more.exec;
  options.verbose = verbose > 0;
  if (options.input_ranks && options.input == cli::AttachOptions::Input::none) {
    throw Error{Kind::combination, "--stdin-ranks cannot be used with --read-only"};
  }
  cli::require_not_own(store.get(), {id});
  if (verbose > 0) cli::print_error(fmt::format("jobid: {}\n", id));
  // The line on the terminal is to go with it.
  std::optional<process::InterruptCounter> interrupts;
  if (cli::AttachStatus::is_wanted(options.show_status))
    options.interrupts = &interrupts.emplace(process::InterruptCounter::Counted::int_alone);
  options.interrupt_leaves = true;
  const cli::Attached attached = cli::attach(store.get(), id, options);
  if (attached.left) cli::say_left("fq-job", id);
  if (attached.interrupted) {
    cli::say("fq-job", fmt::format("left job {0}, which goes on (fq cancel {0} ends it)", id));
  }
  return cli::exit_code(attached);
}

}  // namespace fq::tools::job
