// fq-alloc: an allocation to work in: a job that runs an interactive shell, or a command, on this terminal.
// Where there is none a command runs as with fq-run.

#include <cstdlib>

#include <unistd.h>

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

std::string login_shell() {
  const char* shell = std::getenv("SHELL");
  return shell != nullptr && *shell == '/' ? shell : "/bin/sh";
}

int run(int argc, char** argv) {
  cli::CommonOptions common;
  cli::SubmitOptions options;
  bool background = false, ends_with_terminal = false;
  cli::OptionParser parser("fq-alloc", "work in an allocation: a shell, or a command, on this terminal",
                           {"[COMMAND [ARG...]]", 0, cli::Operands::kUnlimited, /*options_first=*/true});
  parser.example("fq alloc -n4 -t 2h");
  parser.example("fq alloc -N1 make check");
  cli::add_submit_options(parser, options, cli::Sizing::slots);
  parser.flag("--bg", background, "wait until it runs, print its id, stay here");
  parser.flag("--hangup", ends_with_terminal, "the job ends when this terminal goes away");
  cli::add_dump_option(parser, options);
  parser.rarely({"--dump", "--urgency", "--dependency", "--env", "--input", "--output", "--error"});
  cli::add_common_options(parser, common);
  options.command = parser.parse(argc, argv);
  // A shell without a terminal to type on is not what was meant.
  const bool streams = !background && !options.command.empty() && ::isatty(STDIN_FILENO) != 1;
  if (options.command.empty()) options.command = {login_shell()};
  options.alone = true;
  options.attached = streams;
  if (!streams) options.terminal = cli::SubmitOptions::Terminal::shown;
  if (background && ends_with_terminal) throw Error{Kind::combination, "--hangup cannot be used with --bg"};
  if (streams && ends_with_terminal)
    throw Error{Kind::refused, "--hangup: standard input is no terminal, with which the job could end"};

  const cli::Surroundings surroundings = tools::surroundings(common);
  const request::JobGroup request = cli::make_request(options, surroundings);
  if (options.dry_run) {
    cli::print(cli::dry_run_text(request));
    return 0;
  }
  if (background) {
    cli::require_output();
  } else if (!streams && ::isatty(STDIN_FILENO) != 1) {
    throw Error{Kind::refused, "standard input is no terminal, as a shell needs",
                "name a command, or --bg to leave the job alone"};
  }
  const tools::StoreSession store("fq-alloc", common, tools::MissingStore::create);
  process::InterruptCounter interrupts(process::InterruptCounter::Counted::int_alone);
  const notation::JobId id = store.get().ask(request::SubmitRequest{{request}}).ids.at(0);
  if (options.verbose > 0) cli::print_error(fmt::format("jobid: {}\n", id));
  using Terminal = cli::AttachOptions::Terminal;
  cli::AttachOptions attach{
      .command = "fq-alloc",
      .label_io = options.label_io,
      .interrupts = &interrupts,
      .input = streams ? cli::AttachOptions::Input::always : cli::AttachOptions::Input::if_taken,
      .unbuffered_input = options.unbuffered,
      .terminal = ends_with_terminal ? Terminal::owned : Terminal::always,
      .events = cli::shown_events(options.verbose),
      .verbose = options.verbose > 0,
      .quiet = options.quiet};
  if (background) {
    attach.input = cli::AttachOptions::Input::none;
    attach.terminal = Terminal::none;
    attach.events.wait = "start";
  }
  cli::Attached attached;
  try {
    attached = cli::attach(store.get(), id, attach);
  } catch (const Error& failure) {
    throw failure.within(fmt::format("job {} was submitted and goes on", id));
  }
  if (attached.left) cli::say_left("fq-alloc", id);
  if (background && !attached.interrupted) cli::tell_submitted({&id, 1}, [id] { cli::print_submitted(id); });
  return cli::exit_code(attached);
}

}  // namespace

int fq::tools::command::alloc(int argc, char** argv) {
  return ::run(argc, argv);
}
