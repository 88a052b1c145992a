// fq-cancel: ends jobs that wait or run.

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/bulk_output.h"
#include "cli/frame/common_options.h"
#include "cli/frame/job_values.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/jobs/job_selection.h"
#include "commands.h"
#include "frame/store_session.h"
#include "request/end.h"
#include "request/job_filter.h"

namespace {

using namespace fq;

struct Options {
  cli::CommonOptions common;
  bool all = false, dry_run = false, quiet = false;
  std::optional<std::string> user, states;
  std::vector<std::string> queues;
  std::string message;
};

int run(int argc, char** argv) {
  Options options;
  cli::OptionParser parser("fq-cancel", "cancel jobs that are pending or running",
                           {"[ID...]", 0, cli::Operands::kUnlimited});
  parser.example("fq cancel ƒ2GMuTnf");
  parser.example("fq cancel -S pending");
  parser.group("Which jobs");
  parser.flag("--all", options.all, "all of yours that are active");
  parser.option("-u,--user", "USER", options.user, "this user's, or `all`");
  parser.option("-q,--queue", "QUEUE", options.queues, "with these: in this queue");
  parser.option("-S,--states", "STATES", options.states, "those in these states, as pending,running");
  parser.group("How");
  parser.option("-m,--message", "NOTE", options.message, "a note for the job's exception");
  parser.flag("-n,--dry-run", options.dry_run, "say what would be canceled");
  parser.flag("--quiet", options.quiet, "print no count");
  cli::add_common_options(parser, options.common);
  const std::vector<std::string> operands = parser.parse(argc, argv);

  request::RaiseRequest request;
  request.note = options.message;
  request.dry_run = options.dry_run;
  const bool selects = options.all || options.states || options.user;
  if (!operands.empty() && selects)
    throw Error{Kind::combination, "give either job ids or a selection (--all, -S, -u), not both"};
  // -q is --quiet to a user of Flux.
  if (!selects && !options.queues.empty())
    throw Error{Kind::combination, "--queue needs --all, --states or --user",
                "it selects some of your jobs; --quiet has no letter"};
  if (selects) {
    request::JobFilter filter = cli::selection(options.user, options.queues);
    filter.states = options.states ? cli::parse_states(*options.states).states : cli::active_states();
    request.selection = std::move(filter);
  } else if (operands.empty()) {
    throw Error{Kind::usage, "which jobs? give their ids, or --all"};
  }
  if (operands == std::vector<std::string>{"all"}) {
    throw Error{Kind::usage, "'all' is no job id", "--all cancels your jobs"};
  }
  request.ids = cli::parse_job_ids(operands);

  const tools::StoreSession store("fq-cancel", options.common);
  const request::RaiseReply reply = store.get().ask(request);
  const int code = cli::print_refusals("fq-cancel", reply.refusals);
  if (request.selection && !options.quiet) {
    cli::print(
        fmt::format("{} {}\n", options.dry_run ? "would cancel" : "canceled", counted(reply.count, "job")));
  } else if (options.dry_run) {
    for (const notation::JobId id : reply.done) cli::print(fmt::format("would cancel {}\n", id));
  }
  return code;
}

}  // namespace

int fq::tools::command::cancel(int argc, char** argv) {
  return ::run(argc, argv);
}
