// fq-submit: stores a job and prints its id.

#include "cli/common_options.h"
#include "cli/option_parser.h"
#include "cli/output.h"
#include "cli/run_tool.h"
#include "cli/store_session.h"
#include "cli/submission.h"
#include "manager/wait.h"

namespace {

using namespace fq;

// The largest exit code of the jobs, once all have ended.
int wait_for_all(const manager::Session& session, const std::vector<notation::JobId>& ids) {
  int worst = 0;
  for (const notation::JobId id : ids)
    worst = std::max(worst, job::exit_code(manager::wait_inactive(session, id)));
  return worst;
}

// In pieces, so that a million ids need no memory to speak of.
void print_ids(const std::vector<notation::JobId>& ids) {
  constexpr std::size_t kPiece = 64U << 10U;
  std::string out;
  for (const notation::JobId id : ids) {
    out.append(notation::to_f58(id)).append(1, '\n');
    if (out.size() < kPiece) continue;
    cli::print(out);
    out.clear();
  }
  cli::print(out);
}

int run(int argc, char** argv) {
  cli::CommonOptions common;
  cli::SubmitOptions options;
  cli::CopyOptions copies;
  bool wait = false;
  cli::OptionParser parser("fq-submit", "submit a job and print its id",
                           {"COMMAND [ARG...]", 1, cli::Operands::kUnlimited});
  parser.example("fq submit -n2 -t 10m ./simulate input.dat");
  parser.example("fq submit --cc=1-8 sh -c 'echo copy $FLUX_JOB_CC'");
  cli::add_submit_options(parser, options);
  cli::add_copy_options(parser, copies);
  parser.group("Waiting");
  parser.flag("--wait", wait, "wait; exit with the largest of the jobs' codes");
  cli::add_common_options(parser, common);
  options.command = parser.parse(argc, argv);

  const auto requests = cli::make_requests(options, copies, cli::capture_surroundings());
  if (options.dry_run) {
    cli::print(cli::dry_run_text(requests));
    return 0;
  }
  const cli::StoreSession store("fq-submit", common, cli::MissingStore::create);
  const std::vector<notation::JobId> ids = manager::submit(store.get(), requests);
  if (!options.quiet) print_ids(ids);
  return wait ? wait_for_all(store.get(), ids) : 0;
}

}  // namespace

int main(int argc, char** argv) {
  return fq::cli::run_tool("fq-submit", argc, argv, run);
}
