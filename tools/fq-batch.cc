// fq-batch: stores a job that runs a script, and prints its id.

#include "base/file.h"
#include "cli/batch.h"
#include "cli/output.h"
#include "cli/run_tool.h"
#include "cli/standard_input.h"
#include "cli/store_session.h"
#include "cli/submission.h"

namespace {

using namespace fq;

int run(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const cli::BatchOptions options = cli::parse_batch(
      arguments,
      {[](const std::string& path) { return read_file(path); }, [] { return cli::read_standard_input(); }});
  const auto requests = cli::make_requests(options.submit, {}, cli::capture_surroundings());
  if (options.submit.dry_run) {
    cli::print(cli::dry_run_text(requests));
    return 0;
  }
  const cli::StoreSession store("fq-batch", options.common, cli::MissingStore::create);
  const notation::JobId id = manager::submit(store.get(), requests).at(0);
  if (!options.submit.quiet) cli::print(notation::to_f58(id) + "\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return fq::cli::run_tool("fq-batch", argc, argv, run);
}
