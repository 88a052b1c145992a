// fq-job purge: removing jobs that have ended.

#include "request/purge.h"

#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/bulk_output.h"
#include "cli/frame/common_options.h"
#include "cli/frame/job_values.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "frame/store_session.h"
#include "job/commands.h"
#include "notation/fsd.h"

namespace fq::tools::job {

int purge(int argc, char** argv) {
  cli::CommonOptions common;
  request::PurgeRequest request;
  bool force = false;
  cli::OptionParser parser("fq-job purge", "remove jobs that have ended, with all that is kept of them",
                           {"[ID...]", 0, cli::Operands::kUnlimited});
  parser.example("fq job purge --age-limit=30d -f");
  parser.example("fq job purge --num-limit=100000");
  parser.group("Which jobs (by default those beyond the limits of fq-config)");
  parser.option(
      "--age-limit", "FSD",
      [&](const std::string& value) { request.age_limit_s = notation::parse_fsd(value); },
      "those that ended longer ago");
  parser.option(
      "--num-limit", "COUNT",
      [&](const std::string& value) {
        request.num_limit = parse_u64(value);
        if (!request.num_limit) throw error(Kind::usage, "expected a number of jobs, got {}", quote(value));
      },
      "the oldest, until so many are left");
  parser.group("How");
  parser.flag("-f,--force", force, "do it; without it, say how many it would be");
  parser.option(
      "--batch", "COUNT",
      [&](const std::string& value) {
        const auto number = parse_u64(value);
        if (!number || *number == 0) throw error(Kind::usage, "expected 1 or more, got {}", quote(value));
        request.batch = *number;
      },
      "remove at most so many in one transaction (1000)");
  parser.option("--archive", "FILE", request.archive, "write them to FILE, a new one, before");
  cli::add_common_options(parser, common);
  request.ids = cli::parse_job_ids(parser.parse(argc, argv));
  const bool selects = request.age_limit_s || request.num_limit;
  if (selects && !request.ids.empty())
    throw Error{Kind::combination, "give either job ids or limits, not both"};
  request.configured = !selects && request.ids.empty();
  request.dry_run = !force;
  const tools::StoreSession store("fq-job", common);
  const request::PurgeReply reply = store.get().ask(request);
  if (reply.purged > 0 || reply.refusals.empty()) {
    const std::string purged = counted(reply.purged, "job");
    cli::print(force ? fmt::format("purged {}, {} inactive left\n", purged, reply.remaining)
                     : fmt::format("would purge {}, {} inactive left (-f does)\n", purged, reply.remaining));
  }
  return cli::print_refusals("fq-job", reply.refusals);
}

}  // namespace fq::tools::job
