// fq-job kill, killall, raise, raiseall: signals and exceptions.

#include "request/end.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/bulk_output.h"
#include "cli/frame/common_options.h"
#include "cli/frame/job_values.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/jobs/job_selection.h"
#include "frame/store_session.h"
#include "job/commands.h"
#include "notation/signal.h"

namespace fq::tools::job {
namespace {

constexpr int kDefaultSignal = 15;  // SIGTERM on every system
constexpr std::uint8_t kMildest = 7;

void add_signal_option(cli::OptionParser& parser, int& signal) {
  parser.option(
      "-s,--signal", "SIG", [&signal](const std::string& value) { signal = notation::parse_signal(value); },
      "this signal, by name or number (TERM)");
}

void add_severity_option(cli::OptionParser& parser, std::uint8_t& severity) {
  parser.option(
      "-s,--severity", "N",
      [&severity](const std::string& value) {
        const auto number = parse_u64(value);
        if (!number || *number > kMildest) {
          throw error(Kind::usage, "expected 0, which ends the job, to {}, got {}", kMildest, quote(value));
        }
        severity = static_cast<std::uint8_t>(*number);
      },
      "0 ends the job, 1 to 7 are notes of falling weight");
}

// What an exception may be called: one word, as RFC 21 has them.
const std::string& checked_type(const std::string& type) {
  const bool word = !type.empty() && is_valid_utf8(type) &&
                    std::none_of(type.begin(), type.end(),
                                 [](unsigned char c) { return c <= ' ' || c == '=' || c == 0x7F; });
  if (!word) throw error(Kind::usage, "{} is not a type of exception: expected one word", quote(type));
  return type;
}

const std::string& checked_note(const std::string& note) {
  if (!is_valid_utf8(note)) throw error(Kind::usage, "the message {} is not valid UTF-8", quote(note));
  return note;
}

bool is_job_id(const std::string& text) {
  try {
    static_cast<void>(notation::parse_job_id(text));
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

int kill(int argc, char** argv) {
  cli::CommonOptions common;
  request::KillRequest request;
  request.signal = kDefaultSignal;
  cli::OptionParser parser("fq-job kill", "send a signal to the tasks of running jobs",
                           {"ID...", 1, cli::Operands::kUnlimited});
  parser.example("fq job kill -s USR1 ƒ2GMuTnf");
  parser.group("Options");
  add_signal_option(parser, request.signal);
  parser.option(
      "-r,--ranks", "IDSET",
      [&request](const std::string& text) { request.ranks = notation::Idset::decode(text); },
      "to these tasks alone");
  cli::add_common_options(parser, common);
  request.ids = cli::parse_job_ids(parser.parse(argc, argv));
  const tools::StoreSession store("fq-job", common);
  return cli::print_refusals("fq-job", store.get().ask(request).refusals);
}

int killall(int argc, char** argv) {
  cli::CommonOptions common;
  std::optional<std::string> user;
  bool force = false;
  request::KillRequest request;
  request.signal = kDefaultSignal;
  cli::OptionParser parser("fq-job killall", "send a signal to the tasks of all your running jobs");
  parser.example("fq job killall -f -s USR1");
  parser.group("Options");
  add_signal_option(parser, request.signal);
  parser.option("-u,--user", "USER", user, "this user's, or `all`");
  parser.flag("-f,--force", force, "do it: without it, say how many jobs match");
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  request.selection = cli::selection(user, {});
  request.selection->states = {fq::job::State::run, fq::job::State::cleanup};
  request.dry_run = !force;
  const tools::StoreSession store("fq-job", common);
  const std::string count = counted(store.get().ask(request).signaled.size(), "job");
  cli::print(force ? fmt::format("signaled {}\n", count) : fmt::format("would signal {} (-f does)\n", count));
  return 0;
}

int raise(int argc, char** argv) {
  cli::CommonOptions common;
  request::RaiseRequest request;
  std::optional<std::string> message;
  cli::OptionParser parser("fq-job raise", "raise an exception on jobs",
                           {"ID... [[--] MESSAGE...]", 1, cli::Operands::kUnlimited, /*options_first=*/true});
  parser.example("fq job raise --type=oom ƒ2GMuTnf out of memory");
  parser.example("fq job raise -s 3 -t note -m 'check its output' ƒ2GMuTnf");
  parser.group("Options");
  add_severity_option(parser, request.severity);
  parser.option(
      "-t,--type", "TYPE", [&](const std::string& value) { request.type = checked_type(value); },
      "what it is called (cancel)");
  parser.option("-m,--message", "NOTE", message, "a note that is kept with it");
  cli::add_common_options(parser, common);
  const std::vector<std::string> operands = parser.parse(argc, argv);
  // Ids up to the first operand that is none; the rest is the message.
  auto rest = std::find_if_not(operands.begin(), operands.end(), is_job_id);
  request.ids = cli::parse_job_ids({operands.begin(), rest});
  if (request.ids.empty()) static_cast<void>(cli::parse_job_id(operands.front()));
  if (rest != operands.end() && *rest == "--") ++rest;
  if (message && rest != operands.end()) {
    throw Error{Kind::combination, "give the message either with -m or after the ids, not both"};
  }
  request.note = checked_note(message.value_or(join({rest, operands.end()}, " ")));
  const tools::StoreSession store("fq-job", common);
  return cli::print_refusals("fq-job", store.get().ask(request).refusals);
}

int raiseall(int argc, char** argv) {
  cli::CommonOptions common;
  request::RaiseRequest request;
  request.severity = kMildest;
  std::optional<std::string> user, states;
  bool force = false;
  cli::OptionParser parser("fq-job raiseall", "raise an exception on all your active jobs",
                           {"TYPE [MESSAGE...]", 1, cli::Operands::kUnlimited, /*options_first=*/true});
  parser.example("fq job raiseall -f -S running note 'the file server was slow'");
  parser.group("Options");
  add_severity_option(parser, request.severity);
  parser.option("-u,--user", "USER", user, "this user's, or `all`");
  parser.option("-S,--states", "STATES", states, "in these states, as pending,running");
  parser.flag("-f,--force", force, "do it: without it, say how many jobs match");
  cli::add_common_options(parser, common);
  const std::vector<std::string> operands = parser.parse(argc, argv);
  request.type = checked_type(operands.front());
  request.note = checked_note(join(std::span(operands).subspan(1), " "));
  request.selection = cli::selection(user, {});
  request.selection->states = states ? cli::parse_states(*states).states : cli::active_states();
  if (request.selection->states.contains(fq::job::State::inactive)) {
    throw Error{Kind::usage, "no exception can be raised on inactive jobs"};
  }
  request.dry_run = !force;
  const tools::StoreSession store("fq-job", common);
  const request::RaiseReply reply = store.get().ask(request);
  const std::string count = counted(reply.count, "job");
  cli::print_line(force ? fmt::format("raised {} on {}", request.type, count)
                        : fmt::format("would raise {} on {} (-f does)", request.type, count));
  return cli::print_refusals("fq-job", reply.refusals);
}

}  // namespace fq::tools::job
