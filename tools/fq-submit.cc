// fq-submit: stores a job, or copies of it, and prints the ids.

#include "cli/frame/common_options.h"
#include "cli/frame/output.h"
#include "cli/submit/bulk_run.h"
#include "cli/submit/submission.h"
#include "cli/submit/submit_hints.h"
#include "commands.h"
#include "frame/host.h"
#include "frame/store_session.h"
#include "request/submit.h"

namespace {

using namespace fq;

void print_jobspecs(cli::BulkPlan& plan) {
  constexpr std::size_t kAtOnce = 1024;
  for (;;) {
    const auto portion = plan.next(kAtOnce);
    if (portion.jobs == 0) return;
    for (const request::JobGroup& request : portion.request.groups) cli::print(cli::dry_run_text(request));
  }
}

int run(int argc, char** argv) {
  cli::CommonOptions common;
  cli::BulkOptions options;
  cli::OptionParser parser("fq-submit", "submit a job and print its id",
                           {"COMMAND [ARG...]", 1, cli::Operands::kUnlimited, /*options_first=*/true});
  parser.example("fq submit -n2 -t 10m ./simulate input.dat");
  parser.example("fq submit --cc=1-8 sh -c 'echo copy $FLUX_JOB_CC'");
  cli::add_bulk_options(parser, options);
  cli::add_common_options(parser, common);
  options.submit.command = parser.parse(argc, argv);
  cli::check_bulk_options(options);

  const cli::Surroundings surroundings = tools::surroundings(common);
  cli::BulkPlan plan(options, surroundings);
  plan.check();
  if (options.submit.dry_run) {
    print_jobspecs(plan);
    return 0;
  }
  const tools::StoreSession store("fq-submit", common, tools::MissingStore::create);
  cli::hint_submission("fq-submit", options.submit, surroundings);
  return cli::run_bulk("fq-submit", store.get(), plan, options);
}

}  // namespace

int fq::tools::command::submit(int argc, char** argv) {
  return ::run(argc, argv);
}
