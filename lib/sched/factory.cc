#include "sched/factory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "notation/fsd.h"
#include "sched/backfill.h"

namespace fq::sched {

namespace {

constexpr std::array kDisciplines{
    Discipline{"easy", true, false, 256, 1, MatchPolicy::pack, {}},
    Discipline{"conservative", true, true, 256, 64, MatchPolicy::pack, {}},
    Discipline{"fcfs", false, false, 1, 1, MatchPolicy::pack, {}},
};

constexpr std::array kMatchPolicies{
    std::pair{std::string_view{"pack"}, MatchPolicy::pack},
    std::pair{std::string_view{"first"}, MatchPolicy::first},
    std::pair{std::string_view{"spread"}, MatchPolicy::spread},
};

Error unknown(const char* what, std::string_view name, const std::vector<std::string>& names) {
  return {Kind::invalid,
          fmt::format("unknown {} {}: expected one of {}", what, quote(name), join(names, ", ")),
          did_you_mean(name, names)};
}

const Discipline* find_discipline(std::string_view name) {
  const auto at = std::find_if(kDisciplines.begin(), kDisciplines.end(),
                               [&](const Discipline& each) { return each.name == name; });
  return at == kDisciplines.end() ? nullptr : &*at;
}

MatchPolicy match_policy(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [known, policy] : kMatchPolicies) {
    if (known == name) return policy;
    names.emplace_back(known);
  }
  throw unknown("match policy", name, names);
}

constexpr std::array kPreemptModes{
    std::pair{std::string_view{"requeue"}, PreemptMode::requeue},
    std::pair{std::string_view{"cancel"}, PreemptMode::cancel},
};

PreemptMode preempt_mode(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [known, mode] : kPreemptModes) {
    if (known == name) return mode;
    names.emplace_back(known);
  }
  throw unknown("preempt mode", name, names);
}

// RFC 23.
double grace_seconds(const JsonAt& at) {
  const std::string& text = at.as_string();
  try {
    const double seconds = notation::parse_fsd(text);
    if (std::isfinite(seconds)) return seconds;
  } catch (const Error& failure) {
    throw at.fail(failure.what());
  }
  throw at.fail("expected a duration that ends");
}

// A number of requests.
std::optional<std::uint32_t> depth(const JsonAt& at, const char* key) {
  const auto value = at.find(key);
  if (!value) return std::nullopt;
  return static_cast<std::uint32_t>(value->as_integer(1, Ready::kLimitMax));
}

// A program by its path, or by a name that is looked for on PATH: what is relative depends on who asks.
std::vector<std::string> command_words(const JsonAt& at) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < at.array().size(); ++i) {
    words.push_back(at.at(i).as_string());
    if (words.back().find('\0') != std::string::npos) throw at.at(i).fail("a NUL character");
  }
  if (words.empty()) return words;
  const std::string& program = words.front();
  if (program.empty()) throw at.at(std::size_t{0}).fail("it is empty");
  if (program.find('/') != std::string::npos && !program.starts_with('/')) {
    throw at.at(std::size_t{0})
        .fail(
            fmt::format("{} is relative: give an absolute path, or a name that is on PATH", quote(program)));
  }
  return words;
}

}  // namespace

Parameters read_parameters(const nlohmann::json& table) {
  const JsonAt at{table, {}};
  at.allow_only({"command", "match-policy", "name", "preempt", "preempt-grace", "preempt-mode", "queue-depth",
                 "reservation-depth", "tier"});
  Parameters parameters;
  if (const auto name = at.find("name")) {
    parameters.name = name->as_string();
    if (find_discipline(parameters.name) == nullptr)
      throw unknown("scheduler", parameters.name, scheduler_names());
  }
  if (const auto command = at.find("command")) parameters.command = command_words(*command);
  if (const auto tier = at.find("tier")) {
    parameters.tier =
        static_cast<std::uint16_t>(tier->as_integer(0, std::numeric_limits<std::uint16_t>::max()));
  }
  if (const auto policy = at.find("match-policy")) parameters.match = match_policy(policy->as_string());
  if (const auto names = at.find("preempt")) {
    for (std::size_t i = 0; i < names->array().size(); ++i)
      parameters.preempt.push_back(names->at(i).as_string());
  }
  if (const auto mode = at.find("preempt-mode"))
    parameters.preempt_rule.mode = preempt_mode(mode->as_string());
  if (const auto grace = at.find("preempt-grace")) parameters.preempt_rule.grace_s = grace_seconds(*grace);
  parameters.queue_depth = depth(at, "queue-depth");
  parameters.reservation_depth = depth(at, "reservation-depth");
  return parameters;
}

std::string unused_beside_command(const nlohmann::json& table) {
  const auto command = table.find("command");
  if (command == table.end() || command->empty()) return {};
  for (const char* key :
       {"match-policy", "name", "preempt", "preempt-grace", "preempt-mode", "reservation-depth"}) {
    if (table.contains(key)) return key;
  }
  return {};
}

std::vector<std::string> scheduler_names() {
  std::vector<std::string> names;
  names.reserve(kDisciplines.size());
  for (const Discipline& each : kDisciplines) names.emplace_back(each.name);
  return names;
}

bool starts_out_of_order(const Parameters& parameters) {
  return !parameters.command.empty() || find_discipline(parameters.name)->backfills;
}

std::unique_ptr<Scheduler> make_scheduler(const Parameters& parameters, const std::string& queue) {
  if (!parameters.command.empty()) {
    throw error(Kind::refused, "the scheduler is a program, {}, which is run for a store only",
                quote(parameters.command.front()));
  }
  Discipline discipline = *find_discipline(parameters.name);
  if (discipline.backfills) {
    discipline.queue_depth = parameters.queue_depth.value_or(discipline.queue_depth);
    discipline.reservation_depth = parameters.reservation_depth.value_or(discipline.reservation_depth);
  }
  discipline.match = parameters.match;
  discipline.preempt = parameters.preempt_rule;
  return std::make_unique<Backfill>(discipline, queue);
}

}  // namespace fq::sched
