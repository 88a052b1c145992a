// fq-job submit: a jobspec that is there already becomes a job.

#include "request/submit.h"

#include "cli/frame/common_options.h"
#include "cli/frame/input.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/submit/submission.h"
#include "document/jobspec/jobspec.h"
#include "frame/store_session.h"
#include "job/commands.h"
#include "request/jobspec_template.h"

namespace fq::tools::job {

int submit(int argc, char** argv) {
  cli::CommonOptions common;
  cli::SubmitOptions options;
  cli::OptionParser parser("fq-job submit", "submit a jobspec in JSON or YAML and print the job's id",
                           {"[FILE]", 0, 1});
  parser.example("fq submit --dry-run -n2 ./simulate >job.json");
  parser.example("fq job submit job.json");
  parser.group("Options");
  parser.option("-u,--urgency", "N", options.urgency, "0-31, hold, default (16), expedite");
  parser.option("-f,--flags", "FLAGS", options.flags, "debug, waitable");
  parser.flag("--dry-run", options.dry_run, "print the jobspec as it would be stored");
  cli::add_common_options(parser, common);
  const auto operands = parser.parse(argc, argv);
  request::JobGroup request;
  request.urgency = cli::submit_urgency(options);
  request.flags = cli::submit_flags(options);
  const std::string text =
      cli::read_input(operands.empty() ? "-" : operands[0], document::Jobspec::kMaxBytes);
  request.jobspec = request::JobspecTemplate::plain(document::Jobspec::from_text(text).canonical());
  if (options.dry_run) {
    cli::print(cli::dry_run_text(request));
    return 0;
  }
  cli::require_output();
  const tools::StoreSession store("fq-job", common, tools::MissingStore::create);
  cli::print_submitted(store.get().ask(request::SubmitRequest{{request}}).ids.at(0));
  return 0;
}

}  // namespace fq::tools::job
