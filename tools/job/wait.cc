// fq-job wait, status, attach: until a job has ended.

#include "manager/wait.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "cli/attach.h"
#include "cli/common_options.h"
#include "cli/option_parser.h"
#include "cli/output.h"
#include "cli/store_session.h"
#include "job/commands.h"
#include "manager/query.h"
#include "notation/fsd.h"

namespace fq::tools::job {

int wait(int argc, char** argv) {
  cli::CommonOptions common;
  double timeout_s = manager::kNoTimeout;
  bool verbose = false;
  cli::OptionParser parser("fq-job wait", "wait for a job; the exit code is its own", {"ID", 1, 1});
  parser.group("Options");
  parser.flag("-v,--verbose", verbose, "say how the job ended even if it completed");
  parser.option(
      "-t,--timeout", "FSD", [&](const std::string& value) { timeout_s = notation::parse_fsd(value); },
      "give up after that long, with exit code 124");
  cli::add_common_options(parser, common);
  const auto operands = parser.parse(argc, argv);
  const notation::JobId id = notation::parse_job_id(operands[0]);
  const cli::StoreSession store("fq-job", common);
  const fq::job::Job job = manager::wait_inactive(store.get(), id, timeout_s);
  const auto failure = cli::failure_text(job);
  if (failure || verbose) {
    cli::print_error(fmt::format("fq-job: {}: {}\n", id, failure.value_or("completed")));
  }
  return fq::job::exit_code(job);
}

int status(int argc, char** argv) {
  cli::CommonOptions common;
  bool verbose = false;
  cli::OptionParser parser("fq-job status", "wait for jobs; the exit code is the largest of theirs",
                           {"ID...", 1, cli::Operands::kUnlimited});
  parser.group("Options");
  parser.flag("-v,--verbose", verbose, "say how each one ended that did not complete");
  cli::add_common_options(parser, common);
  std::vector<notation::JobId> ids;
  for (const std::string& operand : parser.parse(argc, argv)) ids.push_back(notation::parse_job_id(operand));
  const cli::StoreSession store("fq-job", common);
  manager::query(store.get(), [&](const store::Reader& reader) {
    for (const notation::JobId id : ids) static_cast<void>(manager::find_listed(reader, id));
  });
  int worst = 0;
  for (const notation::JobId id : ids) {
    const fq::job::Job job = manager::wait_inactive(store.get(), id);
    worst = std::max(worst, fq::job::exit_code(job));
    const auto failure = cli::failure_text(job);
    if (verbose && failure) cli::print_error(fmt::format("fq-job: {}: {}\n", id, *failure));
  }
  return worst;
}

int attach(int argc, char** argv) {
  cli::CommonOptions common;
  bool label_io = false;
  cli::OptionParser parser("fq-job attach", "show a job's output as it comes; the exit code is the job's",
                           {"ID", 1, 1});
  parser.group("Options");
  parser.flag("-l,--label-io", label_io, "each line after the rank of its task");
  cli::add_common_options(parser, common);
  const auto operands = parser.parse(argc, argv);
  const notation::JobId id = notation::parse_job_id(operands[0]);
  const cli::StoreSession store("fq-job", common);
  return fq::job::exit_code(cli::attach(store.get(), id, {.command = "fq-job", .label_io = label_io}));
}

}  // namespace fq::tools::job
