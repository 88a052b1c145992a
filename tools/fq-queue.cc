// fq-queue: status, stop, start, enable, disable and list of queues, and waiting until they are at rest.

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "cli/follow/own_jobs.h"
#include "cli/frame/common_options.h"
#include "cli/frame/damaged_option.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/frame/sub_command.h"
#include "cli/list/queue_listing.h"
#include "commands.h"
#include "frame/store_session.h"
#include "notation/fsd.h"
#include "request/queue.h"
#include "request/wait.h"

namespace {

using namespace fq;
using Verb = request::QueueRequest::Verb;

constexpr std::string_view kAll = "all";

// The queue that is named; none: all of them.
std::optional<std::string> optional_queue(const std::vector<std::string>& operands) {
  return operands.empty() || operands.front() == kAll ? std::nullopt : std::optional{operands.front()};
}

// What follows a start tries the scheduler at once. It may have suspended the queue again; a program is asked
// while nobody waits for it.
void say_what_came(const tools::StoreSession& store, const std::vector<request::QueueStatus>& started) {
  for (const request::QueueStatus& now : store.get().ask(request::QueueStatusRequest{std::nullopt}).queues) {
    const bool asked =
        std::ranges::any_of(started, [&](const auto& each) { return each.queue == now.queue; });
    if (asked && now.asked_for_s) {
      cli::say("fq-queue",
               fmt::format("{}its scheduler is being asked: 'fq queue status' says whether it fails",
                           now.queue.empty() ? "" : now.queue + ": "));
    }
    if (!asked || now.state.suspended.empty()) continue;
    std::string line = cli::scheduling_line(now);
    line.pop_back();  // its line feed
    cli::say("fq-queue", line);
  }
}

int set_state(const std::string& name, Verb verb, int argc, char** argv) {
  cli::CommonOptions common;
  request::QueueRequest request;
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
  if (!operands.empty() && operands[0] == kAll)
    throw Error{Kind::usage, "'all' stands for every queue and is none", "--all: all queues"};
  if (!operands.empty()) request.queue = operands[0];
  if (verb == Verb::disable && request.reason.empty()) {
    throw Error{Kind::combination, "disabling a queue needs a reason: -m REASON"};
  }
  request.verb = verb;
  const tools::StoreSession store("fq-queue", common);
  std::vector<request::QueueStatus> queues = store.get().ask(request).queues;
  if (quiet) return 0;
  if (verbose) {
    queues = store.get().ask(request::QueueStatusRequest{std::nullopt}).queues;
  }
  if (verb == Verb::start) say_what_came(store, queues);
  const bool submission = verb == Verb::enable || verb == Verb::disable;
  for (const request::QueueStatus& queue : queues) {
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
  const auto queue = optional_queue(parser.parse(argc, argv));
  const tools::StoreSession store("fq-queue", common);
  const request::QueueStatusReply reply = store.get().ask(request::QueueStatusRequest{queue});
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
  if (wanted && wanted->contains(std::string{kAll})) wanted.reset();
  const tools::StoreSession store("fq-queue", common);
  cli::print(cli::list_queues(store.get().ask(request::QueueOverviewRequest{wanted}).queues, listing));
  return 0;
}

int wait(const std::string& name, request::QueueRest rest, int argc, char** argv) {
  cli::CommonOptions common;
  double timeout_s = std::numeric_limits<double>::infinity();
  const std::string until = rest == request::QueueRest::empty ? "has no active jobs" : "has no running jobs";
  cli::OptionParser parser("fq-queue " + name, "wait until a queue, or every queue, " + until,
                           {"[QUEUE]", 0, 1});
  parser.example(fmt::format("fq queue {} --timeout=2h", name));
  parser.group("Options");
  parser.option(
      "-t,--timeout", "FSD", [&](const std::string& text) { timeout_s = notation::parse_fsd(text); },
      "give up after that long");
  cli::add_common_options(parser, common);
  const auto queue = optional_queue(parser.parse(argc, argv));
  const tools::StoreSession store("fq-queue", common);
  cli::require_not_inside(store.get(), queue);
  if (store.get().ask(request::WaitForRestRequest{queue, rest, timeout_s}).rests) return 0;
  throw error(Kind::timeout, "there are still {} jobs after {}",
              rest == request::QueueRest::empty ? "active" : "running", notation::format_fsd(timeout_s));
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
       [](int n, char** v) { return wait("drain", request::QueueRest::empty, n, v); }},
      {"idle", "wait until queues have no running jobs",
       [](int n, char** v) { return wait("idle", request::QueueRest::idle, n, v); }},
  };
  return cli::run_sub_command("fq-queue", "look at and administer queues", commands, argc, argv);
}

}  // namespace

int fq::tools::command::queue(int argc, char** argv) {
  return ::run(argc, argv);
}
