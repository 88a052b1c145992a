// fq-queue: status, stop, start, enable, disable and list of queues, and waiting until they are at rest.

#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "cli/follow/own_jobs.h"
#include "cli/frame/common_options.h"
#include "cli/frame/damaged_option.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/frame/store_session.h"
#include "cli/frame/sub_command.h"
#include "cli/list/queue_listing.h"
#include "commands.h"
#include "manager/engine/session.h"
#include "manager/site/queue_admin.h"
#include "manager/site/queue_overview.h"
#include "notation/fsd.h"

namespace {

using namespace fq;
using Verb = manager::QueueRequest::Verb;

std::optional<std::string> optional_operand(const std::vector<std::string>& operands) {
  return operands.empty() ? std::nullopt : std::optional{operands.front()};
}

int set_state(const std::string& name, Verb verb, int argc, char** argv) {
  cli::CommonOptions common;
  manager::QueueRequest request;
  bool quiet = false, verbose = false;
  const bool takes_reason = verb == Verb::stop || verb == Verb::disable;
  cli::OptionParser parser("fq-queue " + name, fmt::format("{} a queue", name), {"[QUEUE]", 0, 1});
  parser.example(fmt::format("fq queue {}{} batch", name, takes_reason ? " -m 'reboot at noon'" : ""));
  parser.group("Options");
  parser.flag("-a,--all", request.all, "all queues");
  parser.flag("-v,--verbose", verbose, "print the state of the other queues, too");
  parser.flag("--quiet", quiet, "print nothing");
  if (takes_reason) parser.option("-m,--message", "REASON", request.reason, "why, for those who ask");
  cli::add_common_options(parser, common);
  const std::vector<std::string> operands = parser.parse(argc, argv);
  if (request.all && !operands.empty()) throw Error{Kind::combination, "give a queue or --all, not both"};
  if (!operands.empty()) request.queue = operands[0];
  if (verb == Verb::disable && request.reason.empty()) {
    throw Error{Kind::combination, "disabling a queue needs a reason: -m REASON"};
  }
  request.verb = verb;
  const cli::StoreSession store("fq-queue", common);
  std::vector<manager::QueueStatus> queues = manager::set_queue(store.get(), request);
  if (quiet) return 0;
  if (verbose) {
    queues = manager::queue_status(store.get(), std::nullopt).queues;
  }
  const bool submission = verb == Verb::enable || verb == Verb::disable;
  for (const manager::QueueStatus& queue : queues) {
    cli::print(submission ? cli::submission_line(queue) : cli::scheduling_line(queue));
  }
  return 0;
}

int status(int argc, char** argv) {
  cli::CommonOptions common;
  bool verbose = false, json = false;
  cli::OptionParser parser("fq-queue status", "say whether queues take jobs and start them",
                           {"[QUEUE]", 0, 1});
  parser.example("fq queue status -v");
  parser.group("Options");
  parser.flag("-v,--verbose", verbose, "count requests and running jobs too");
  parser.flag("--json", json, "print JSON");
  cli::add_common_options(parser, common);
  cli::add_damaged_option(parser, common);
  const auto queue = optional_operand(parser.parse(argc, argv));
  const cli::StoreSession store("fq-queue", common);
  const manager::QueueStatusReply reply = manager::queue_status(store.get(), queue);
  cli::print(json ? cli::status_json(reply.queues) : cli::status_lines(reply.queues));
  if (verbose && !json) {
    cli::print(fmt::format("{} alloc requests queued\n{} running jobs\n", reply.waiting, reply.running));
  }
  return 0;
}

int list(int argc, char** argv) {
  cli::CommonOptions common;
  cli::ListingOptions listing;
  std::vector<std::string> names;
  cli::OptionParser parser("fq-queue list", "list queues with their limits and resources");
  parser.example("fq queue list -n -o '{queue} {started}'");
  parser.group("Which queues");
  parser.option("-q,--queue", "QUEUE,...", names, "these");
  cli::add_listing_options(parser, listing, "QUEUE_LIST");
  cli::add_common_options(parser, common);
  cli::add_damaged_option(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  if (const auto told = cli::queue_formats_told(listing)) {
    cli::print(*told);
    return 0;
  }
  cli::check_queue_listing(listing);
  std::optional<std::set<std::string>> wanted;
  for (const std::string& some : names) {
    if (!wanted) wanted.emplace();
    for (const std::string_view name : split(some, ',')) wanted->emplace(name);
  }
  const cli::StoreSession store("fq-queue", common);
  cli::print(cli::list_queues(manager::queue_overview(store.get(), wanted), listing));
  return 0;
}

int wait(const std::string& name, manager::QueueRest rest, int argc, char** argv) {
  cli::CommonOptions common;
  double timeout_s = std::numeric_limits<double>::infinity();
  const std::string until = rest == manager::QueueRest::empty ? "has no active jobs" : "has no running jobs";
  cli::OptionParser parser("fq-queue " + name, "wait until a queue, or every queue, " + until,
                           {"[QUEUE]", 0, 1});
  parser.example(fmt::format("fq queue {} --timeout=2h", name));
  parser.group("Options");
  parser.option(
      "-t,--timeout", "FSD", [&](const std::string& text) { timeout_s = notation::parse_fsd(text); },
      "give up after that long");
  cli::add_common_options(parser, common);
  const auto queue = optional_operand(parser.parse(argc, argv));
  const cli::StoreSession store("fq-queue", common);
  cli::require_not_inside(store.get(), queue);
  if (manager::wait_for_rest(store.get(), queue, rest, timeout_s)) return 0;
  throw error(Kind::timeout, "there are still {} jobs after {}",
              rest == manager::QueueRest::empty ? "active" : "running", notation::format_fsd(timeout_s));
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
      {"drain", "wait until queues have no active jobs",
       [](int n, char** v) { return wait("drain", manager::QueueRest::empty, n, v); }},
      {"idle", "wait until queues have no running jobs",
       [](int n, char** v) { return wait("idle", manager::QueueRest::idle, n, v); }},
  };
  return cli::run_sub_command("fq-queue", "look at and administer queues", commands, argc, argv);
}

}  // namespace

int fq::tools::command::queue(int argc, char** argv) {
  return ::run(argc, argv);
}
