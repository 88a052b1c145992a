// fq-housekeeping: what is run on nodes after jobs, before others get them.

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/frame/common_options.h"
#include "cli/frame/job_values.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/frame/sub_command.h"
#include "cli/list/housekeeping_listing.h"
#include "commands.h"
#include "frame/store_session.h"
#include "notation/signal.h"
#include "request/housekeeping.h"

namespace {

using namespace fq;

int list(int argc, char** argv) {
  cli::CommonOptions common;
  cli::ListingOptions listing;
  cli::OptionParser parser("fq-housekeeping list", "list what is run on nodes after jobs");
  parser.example("fq housekeeping list");
  cli::add_listing_options(parser, listing);
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  if (const auto told = cli::housekeeping_formats_told(listing)) {
    cli::print(*told);
    return 0;
  }
  cli::check_housekeeping_listing(listing);
  const tools::StoreSession store("fq-housekeeping", common);
  const request::HousekeepingReply reply = store.get().ask(request::HousekeepingRequest{});
  cli::print(cli::list_housekeeping(reply.running, SystemClock{}.now(), listing));
  return 0;
}

int kill(int argc, char** argv) {
  constexpr int kDefaultSignal = 15;  // SIGTERM on every system
  cli::CommonOptions common;
  request::KillHousekeepingRequest request;
  request.signal = kDefaultSignal;
  std::vector<std::string> jobs;
  cli::OptionParser parser("fq-housekeeping kill", "send a signal to what is run on nodes after jobs");
  parser.example("fq housekeeping kill -j ƒ2GMuTnf");
  parser.group("Which (some of these)");
  parser.option("-j,--jobid", "ID", jobs, "after this job");
  parser.option("-t,--targets", "NODES", request.targets, "on these nodes: ranks, or hosts");
  parser.flag("--all", request.all, "all of it");
  parser.group("How");
  parser.option(
      "-s,--signal", "SIG", [&](const std::string& value) { request.signal = notation::parse_signal(value); },
      "this signal, by name or number (TERM)");
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  if (jobs.empty() && request.targets.empty() && !request.all)
    throw Error{Kind::usage, "which? give --jobid, --targets or --all"};
  request.jobs = cli::parse_job_ids(jobs);
  const tools::StoreSession store("fq-housekeeping", common);
  static_cast<void>(store.get().ask(request));
  return 0;
}

int run(int argc, char** argv) {
  const std::vector<cli::SubCommand> commands{
      {"list", "list what is run on nodes after jobs", list},
      {"kill", "send a signal to it", kill},
  };
  return cli::run_sub_command("fq-housekeeping", "what is run on nodes after jobs", commands, argc, argv);
}

}  // namespace

int fq::tools::command::housekeeping(int argc, char** argv) {
  return ::run(argc, argv);
}
