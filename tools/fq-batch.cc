// fq-batch: stores a job that runs a script, and prints its id.

#include "base/error.h"
#include "cli/frame/logout_hint.h"
#include "cli/frame/output.h"
#include "cli/submit/batch.h"
#include "cli/submit/submission.h"
#include "cli/submit/submit_hints.h"
#include "commands.h"
#include "frame/host.h"
#include "frame/store_session.h"
#include "request/submit.h"

namespace {

using namespace fq;

// What is missing may stand in the script, in another system's words.
request::JobGroup make_request(const cli::BatchOptions& options, const cli::Surroundings& surroundings) {
  try {
    return cli::make_request(options.submit, surroundings);
  } catch (const Error& failure) {
    if (options.hint.empty() || (failure.kind() != Kind::combination && !failure.hint().empty())) throw;
    throw Error{failure.kind(), failure.what(), options.hint};
  }
}

int run(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const cli::Surroundings here = cli::capture_surroundings();
  const cli::BatchOptions options = cli::parse_batch(
      arguments, [](const std::string& path) { return cli::read_input(path); },
      [&](const cli::SubmitOptions& each) { static_cast<void>(cli::make_request(each, here)); });
  const cli::Surroundings surroundings = tools::surroundings(options.common);
  const request::JobGroup request = make_request(options, surroundings);
  if (options.submit.verbose > 0) {
    for (const std::string& line : options.directives) cli::say("fq-batch", line);
  }
  if (options.submit.dry_run) {
    cli::print(cli::dry_run_text(request));
    return 0;
  }
  if (!options.submit.quiet) cli::require_output();
  const tools::StoreSession store("fq-batch", options.common, tools::MissingStore::create);
  const notation::JobId id = store.get().ask(request::SubmitRequest{{request}}).ids.at(0);
  cli::hint_submission("fq-batch", options.submit, surroundings, options.hint);
  cli::hint_limit("fq-batch", store.get(), options.submit, id);
  if (options.submit.quiet) return 0;
  cli::print_submitted(id);
  if (!surroundings.elsewhere) cli::hint_logout("fq-batch");
  return 0;
}

}  // namespace

int fq::tools::command::batch(int argc, char** argv) {
  return ::run(argc, argv);
}
