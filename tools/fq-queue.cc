// fq-queue: status, stop, start, enable, disable and list of queues.

#include "base/error.h"
#include "base/text.h"
#include "cli/common_options.h"
#include "cli/option_parser.h"
#include "cli/output.h"
#include "cli/queue_listing.h"
#include "cli/run_tool.h"
#include "cli/store_session.h"
#include "cli/sub_command.h"
#include "manager/query.h"
#include "manager/queue_admin.h"

namespace {

using namespace fq;
using Verb = manager::QueueRequest::Verb;

int set_state(const std::string& name, Verb verb, int argc, char** argv) {
  cli::CommonOptions common;
  manager::QueueRequest request;
  bool all = false, quiet = false;
  const bool takes_reason = verb == Verb::stop || verb == Verb::disable;
  cli::OptionParser parser("fq-queue " + name, fmt::format("{} a queue", name), {"[QUEUE]", 0, 1});
  parser.example("fq queue " + name);
  parser.group("Options");
  parser.flag("-a,--all", all, "all queues");
  parser.flag("--quiet", quiet, "print nothing");
  if (takes_reason) parser.option("-m,--message", "REASON", request.reason, "why, for those who ask");
  cli::add_common_options(parser, common);
  const std::vector<std::string> operands = parser.parse(argc, argv);
  if (all && !operands.empty()) throw Error{Kind::usage, "give a queue or --all, not both"};
  if (!operands.empty()) request.queue = operands[0];
  if (verb == Verb::disable && request.reason.empty()) {
    throw Error{Kind::usage, "disabling a queue needs a reason: -m REASON"};
  }
  request.verb = verb;
  const cli::StoreSession store("fq-queue", common);
  const records::QueueState state = manager::set_queue(store.get(), request);
  if (quiet) return 0;
  const bool submission = verb == Verb::enable || verb == Verb::disable;
  cli::print(submission ? cli::submission_line("", state) : cli::scheduling_line("", state));
  return 0;
}

int status(int argc, char** argv) {
  cli::CommonOptions common;
  bool verbose = false;
  cli::OptionParser parser("fq-queue status", "say whether queues take jobs and start them",
                           {"[QUEUE]", 0, 1});
  parser.example("fq queue status -v");
  parser.group("Options");
  parser.flag("-v,--verbose", verbose, "count requests and running jobs too");
  cli::add_common_options(parser, common);
  const std::vector<std::string> operands = parser.parse(argc, argv);
  const cli::StoreSession store("fq-queue", common);
  std::string out;
  manager::query(store.get(), [&](const store::Reader& reader) {
    out = cli::queue_status(reader, operands.empty() ? "" : operands[0], verbose);
  });
  cli::print(out);
  return 0;
}

int list(int argc, char** argv) {
  cli::CommonOptions common;
  cli::ListingOptions listing;
  cli::OptionParser parser("fq-queue list", "list queues with their limits and resources");
  parser.example("fq queue list -n -o '{queue} {started}'");
  cli::add_listing_options(parser, listing);
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  if (listing.format == "help") {
    cli::print(cli::queue_format_help());
    return 0;
  }
  const cli::StoreSession store("fq-queue", common);
  std::string out;
  manager::query(store.get(), [&](const store::Reader& reader) { out = cli::list_queues(reader, listing); });
  cli::print(out);
  return 0;
}

int run(int argc, char** argv) {
  const std::vector<cli::SubCommand> commands{
      {"status", "say whether queues take jobs and start them", status},
      {"list", "list queues with their limits and resources", list},
      {"stop", "let no more jobs start", [](int n, char** v) { return set_state("stop", Verb::stop, n, v); }},
      {"start", "let jobs start again",
       [](int n, char** v) { return set_state("start", Verb::start, n, v); }},
      {"disable", "take no more jobs",
       [](int n, char** v) { return set_state("disable", Verb::disable, n, v); }},
      {"enable", "take jobs again", [](int n, char** v) { return set_state("enable", Verb::enable, n, v); }},
  };
  return cli::run_sub_command("fq-queue", "look at and administer queues", commands, argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  return fq::cli::run_tool("fq-queue", argc, argv, run);
}
