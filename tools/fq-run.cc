// fq-run: submits a job, shows its output and returns its exit code.

#include "base/error.h"
#include "cli/follow/attach.h"
#include "cli/frame/common_options.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/submit/submission.h"
#include "commands.h"
#include "frame/host.h"
#include "frame/store_session.h"
#include "request/submit.h"

namespace {

using namespace fq;

int run(int argc, char** argv) {
  cli::CommonOptions common;
  cli::SubmitOptions options;
  cli::OptionParser parser("fq-run", "run a job: submit it, show its output, return its exit code",
                           {"COMMAND [ARG...]", 1, cli::Operands::kUnlimited, /*options_first=*/true});
  parser.example("fq run -n4 hostname");
  parser.example("fq run -t 30s -l sh -c 'echo task $FLUX_TASK_RANK'");
  bool terminal = false;
  cli::add_submit_options(parser, options);
  parser.flag("-T,--pty", terminal, "run task 0 on a terminal; ~. leaves it");
  parser.rarely({"--dependency"});
  cli::add_common_options(parser, common);
  options.command = parser.parse(argc, argv);
  options.attached = true;
  if (terminal) options.terminal = cli::SubmitOptions::Terminal::kept;

  const cli::Surroundings surroundings = tools::surroundings(common);
  const request::JobGroup request = cli::make_request(options, surroundings);
  if (options.dry_run) {
    cli::print(cli::dry_run_text(request));
    return 0;
  }
  const tools::StoreSession store("fq-run", common, tools::MissingStore::create);
  // From here on an interrupt is the job's; what ends this process lets the job go on.
  process::InterruptCounter interrupts(process::InterruptCounter::Counted::int_alone);
  const notation::JobId id = store.get().ask(request::SubmitRequest{{request}}).ids.at(0);
  if (options.verbose > 0) cli::print_error(fmt::format("jobid: {}\n", id));
  const bool may_have_terminal = terminal || !options.setopt.empty();
  const cli::AttachOptions attach{.command = "fq-run",
                                  .label_io = options.label_io,
                                  .interrupts = &interrupts,
                                  .input = cli::AttachOptions::Input::always,
                                  .unbuffered_input = options.unbuffered,
                                  .terminal = may_have_terminal ? cli::AttachOptions::Terminal::always
                                                                : cli::AttachOptions::Terminal::none,
                                  .events = cli::shown_events(options.verbose),
                                  .verbose = options.verbose > 0,
                                  .quiet = options.quiet};
  try {
    const cli::Attached attached = cli::attach(store.get(), id, attach);
    if (attached.left) cli::say_left("fq-run", id);
    return cli::exit_code(attached);
  } catch (const Error& failure) {
    throw failure.within(fmt::format("job {} was submitted and goes on", id));
  }
}

}  // namespace

int fq::tools::command::run(int argc, char** argv) {
  return ::run(argc, argv);
}
