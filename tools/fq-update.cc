// fq-update: changes what jobs ask for.

#include <algorithm>
#include <cmath>
#include <map>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/frame/bulk_output.h"
#include "cli/frame/common_options.h"
#include "cli/frame/familiar_names.h"
#include "cli/frame/job_values.h"
#include "cli/frame/key_values.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/submit/submit_hints.h"
#include "commands.h"
#include "document/resource/constraint_syntax.h"
#include "frame/store_session.h"
#include "notation/fsd.h"
#include "request/alter.h"

namespace {

using namespace fq;
using nlohmann::json;

constexpr std::string_view kDuration = "attributes.system.duration";
constexpr std::string_view kConstraints = "attributes.system.constraints";
constexpr std::string_view kEnvironment = "attributes.system.environment.";

// The path of a key in the jobspec: below attributes.system unless it says otherwise, as in Flux. A single
// word must be one that means something there, so that a slip of the finger is not taken for an attribute.
std::string path_of(std::string_view key) {
  static const std::vector<std::string> kWords{"bank",    "constraints", "cwd",   "duration", "name",
                                               "project", "qos",         "queue", "urgency"};
  static const std::map<std::string_view, std::string_view> kOptions{
      {"time-limit", "duration"}, {"job-name", "name"},   {"requires", "constraints"},
      {"priority", "urgency"},    {"partition", "queue"}, {"account", "bank"}};
  if (key == "name") return "attributes.system.job.name";
  for (const std::string_view top : {"attributes.", "resources", "tasks", "version"}) {
    if (key.starts_with(top)) return std::string{key};
  }
  const bool is_word = key.find('.') == std::string_view::npos;
  if (is_word && std::find(kWords.begin(), kWords.end(), key) == kWords.end()) {
    if (key.starts_with("dependenc") || key == "begin-time")
      throw Error{Kind::usage, "dependencies cannot be changed", "cancel the job, and submit it anew"};
    const auto option = kOptions.find(key);
    std::string hint = option != kOptions.end() ? fmt::format("did you mean {}?", quote(option->second))
                                                : did_you_mean(key, kWords);
    if (hint.empty()) hint = join(kWords, ", ") + ", or a path: attributes.system.KEY";
    throw Error{Kind::usage, fmt::format("unknown key {}", quote(key)), hint};
  }
  return "attributes.system." + std::string{key};
}

// Of the whole numbers without a unit that a time limit is, -t takes minutes and this takes seconds.
std::string duration_hint(std::string_view text) {
  const std::string_view number = text.substr(text.find_first_not_of("+-"));
  if (!parse_u64(number) || number == "0") return {};
  return fmt::format("duration={0} is {1} seconds ({0}m: minutes, as with -t)", text, number);
}

// A duration is set, or with a sign in front added or taken off; 0 and inf ask for no limit.
void set_duration(request::UpdateRequest& request, json& updates, std::string_view text) {
  const char sign = text.empty() ? '\0' : text.front();
  try {
    const double seconds = notation::parse_fsd(sign == '+' || sign == '-' ? text.substr(1) : text);
    if (sign != '+' && sign != '-') {
      updates[kDuration] = std::isinf(seconds) ? 0.0 : seconds;
    } else if (std::isinf(seconds)) {
      throw error(Kind::invalid, "{} is no change of a duration", quote(text));
    } else {
      request.duration_change_s = sign == '+' ? seconds : -seconds;
    }
  } catch (const Error& failure) {
    const std::string meant = cli::familiar_duration(text);
    throw Error{Kind::usage, fmt::format("duration: {}", failure.what()),
                meant.empty() ? failure.hint() : fmt::format("did you mean '{}'?", meant)};
  }
}

request::UpdateRequest read_request(const std::vector<std::string>& operands) {
  const auto is_assignment = [](const std::string& operand) {
    return operand.find('=') != std::string::npos;
  };
  const auto first = std::find_if(operands.begin(), operands.end(), is_assignment);
  if (first == operands.begin()) throw Error{Kind::usage, "which jobs? give their ids before the changes"};
  if (first == operands.end()) {
    throw Error{Kind::usage, "which change? give KEY=VALUE after the ids",
                "duration=+30m, name=NAME, queue=NAME"};
  }
  request::UpdateRequest request;
  request.ids = cli::parse_job_ids({operands.begin(), first});
  json updates = json::object();
  std::vector<std::string> hints;
  for (const std::string& operand : std::vector<std::string>(first, operands.end())) {
    const auto [key, value] = cli::split_assignment(operand);
    const std::string path = path_of(key);
    if (key == "urgency") {
      try {
        request.urgency = cli::parse_urgency(value);
      } catch (const Error& failure) {
        throw error(Kind::usage, "urgency: {}", failure.what());
      }
    } else if (path == kDuration) {
      set_duration(request, updates, value);
      hints.push_back(duration_hint(value));
    } else if (key == "name" || key == "queue" || key == "qos") {
      updates[path] = value;
    } else if (path.starts_with(kEnvironment)) {
      // A number is the text of one; null unsets.
      const bool is_quoted = value.starts_with('"') || value == "null";
      const json read = is_quoted ? cli::json_or_text(value) : json(value);
      updates[path] = read.is_string() || read.is_null() ? read : json(value);
    } else if (path == kConstraints && !value.starts_with('{')) {
      try {
        updates[path] = document::parse_constraint_syntax(value);
      } catch (const Error& failure) {
        throw Error{Kind::usage, failure.what(), failure.hint()};
      }
    } else {
      updates[path] = cli::json_or_text(value);
    }
  }
  for (const auto& [path, value] : updates.items()) hints.push_back(cli::attribute_hint(path));
  for (const std::string& hint : hints) {
    if (!hint.empty() && ::isatty(STDERR_FILENO) == 1) cli::say("fq-update", hint);
  }
  request.updates = dump_json(updates);
  return request;
}

int run(int argc, char** argv) {
  cli::CommonOptions common;
  bool dry_run = false, verbose = false, wait = false;
  cli::OptionParser parser("fq-update", "change what jobs ask for",
                           {"ID... KEY=VALUE...", 1, cli::Operands::kUnlimited});
  parser.example("fq update ƒ2GMuTnf duration=+30m");
  parser.example("fq update ƒ2GMuTnf ƒ2NoWLoZ name=night urgency=10");
  parser.group("How");
  parser.flag("-n,--dry-run", dry_run, "check it, print it as JSON, change nothing");
  parser.flag("-v,--verbose", verbose, "say what was changed");
  parser.flag("--wait", wait, "return once it is in the log, as always");
  cli::add_common_options(parser, common);
  request::UpdateRequest request = read_request(parser.parse(argc, argv));
  request.dry_run = dry_run;
  const tools::StoreSession store("fq-update", common);
  const auto reply = store.get().ask(request);
  for (const request::UpdatedJob& updated : reply.done) {
    if (dry_run) cli::print(updated.updates + "\n");
    if (!verbose) continue;
    const json changes = parse_json(updated.updates, "updates");
    for (const auto& [path, value] : changes.items()) {
      cli::say("fq-update", fmt::format("{}: {} {} to {}", updated.id, dry_run ? "would update" : "updated",
                                        path, dump_json(value)));
    }
  }
  return cli::print_refusals("fq-update", reply.refusals);
}

}  // namespace

int fq::tools::command::update(int argc, char** argv) {
  return ::run(argc, argv);
}
