#include "cli/submit/rlimit_rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "cli/submit/env_rules.h"

namespace fq::cli {
namespace {

// Limits that say more of the submitter's session than of what its jobs may use.
constexpr std::array<std::string_view, 7> kNotPassedOn{"memlock", "msgqueue", "nice",      "ofile",
                                                       "rtprio",  "rttime",   "sigpending"};

std::string lower_case(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::int64_t parse_limit(std::string_view rule, std::string_view value) {
  if (value == "unlimited" || value == "infinity" || value == "inf" || value == "-1") return -1;
  const auto number = parse_u64(value);
  if (!number || *number > INT64_MAX) {
    throw error(Kind::usage, "--rlimit: {}: expected a whole number or unlimited, got {}", quote(rule),
                quote(value));
  }
  return static_cast<std::int64_t>(*number);
}

Error no_such_limit(std::string_view name, const Rlimits& submitter) {
  std::vector<std::string> names;
  for (const auto& limit : submitter) names.push_back(limit.first);
  return Error{Kind::usage, fmt::format("--rlimit: no limit is called {}", quote(name)),
               did_you_mean(name, names)};
}

void apply(std::string_view rule, const Rlimits& submitter, Rlimits& job) {
  if (rule.starts_with('-')) {
    const std::string pattern = lower_case(rule.substr(1));
    if (std::none_of(submitter.begin(), submitter.end(),
                     [&](const auto& limit) { return matches_pattern(pattern, limit.first); })) {
      throw no_such_limit(pattern, submitter);
    }
    std::erase_if(job, [&](const auto& limit) { return matches_pattern(pattern, limit.first); });
    return;
  }
  const std::size_t equals = rule.find('=');
  const std::string name = lower_case(rule.substr(0, equals));
  if (equals != std::string_view::npos) {
    if (!submitter.contains(name)) throw no_such_limit(name, submitter);
    job[name] = parse_limit(rule, rule.substr(equals + 1));
    return;
  }
  bool found = false;
  for (const auto& [known, value] : submitter) {
    if (!matches_pattern(name, known)) continue;
    job[known] = value;
    found = true;
  }
  if (!found) throw no_such_limit(name, submitter);
}

}  // namespace

Rlimits apply_rlimit_rules(const std::vector<std::string>& rules, const Rlimits& submitter) {
  Rlimits job = submitter;
  for (const std::string_view name : kNotPassedOn) job.erase(std::string{name});
  for (const std::string& joined : rules) {
    for (const std::string_view rule : split(joined, ',')) {
      if (const std::string_view trimmed = trim(rule); !trimmed.empty()) apply(trimmed, submitter, job);
    }
  }
  return job;
}

}  // namespace fq::cli
