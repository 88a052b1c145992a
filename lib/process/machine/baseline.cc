#include "process/machine/baseline.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "process/machine/affinity.h"
#include "process/start/rlimits.h"
#include "process/tree/cgroup.h"

namespace fq::process {

using nlohmann::json;

namespace {

constexpr auto kOomFile = "/proc/self/oom_score_adj";

rlimit get_limit(int resource) {
  rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
  ::getrlimit(static_cast<__rlimit_resource>(resource), &limit);
  return limit;
}

int read_oom_score() {
  const auto text = read_file_if_exists(kOomFile);
  return text ? static_cast<int>(std::strtol(text->c_str(), nullptr, 10)) : 0;
}

void write_oom_score(int value) {
  try {
    write_file(kOomFile, std::to_string(value));
  } catch (const Error&) {
    return;  // not allowed: it stays among the differences
  }
}

/// A login session's scope carries its number in its name; sessions of a user do not differ otherwise.
std::string without_session(const std::string& cgroup) {
  const std::size_t slash = cgroup.rfind('/');
  if (slash == std::string::npos) return cgroup;
  const std::string_view last = std::string_view{cgroup}.substr(slash + 1);
  return last.starts_with("session-") && last.ends_with(".scope") ? cgroup.substr(0, slash) : cgroup;
}

std::string in_words(std::uint64_t limit) {
  return limit == Baseline::kUnlimited ? "unlimited" : std::to_string(limit);
}

json limit_to_json(std::uint64_t limit) {
  return limit == Baseline::kUnlimited ? json(-1) : json(limit);
}

std::uint64_t limit_from_json(const JsonAt& at) {
  const std::int64_t value = at.as_integer(-1, INT64_MAX);
  return value < 0 ? Baseline::kUnlimited : static_cast<std::uint64_t>(value);
}

void restore_limit(const Baseline::Limit& wanted, int resource) {
  const rlimit limit{wanted.soft, wanted.hard};
  const auto which = static_cast<__rlimit_resource>(resource);
  if (::setrlimit(which, &limit) == 0) return;
  // A hard limit that cannot be raised again still bounds the soft one.
  const rlimit current = get_limit(resource);
  const rlimit possible{std::min<rlim_t>(wanted.soft, current.rlim_max), current.rlim_max};
  ::setrlimit(which, &possible);
}

}  // namespace

static_assert(Baseline::kUnlimited == RLIM_INFINITY);

Baseline Baseline::capture() {
  Baseline baseline;
  for (const document::RlimitName& name : document::rlimit_names()) {
    const rlimit limit = get_limit(name.resource);
    baseline.limits.push_back({std::string{name.name}, limit.rlim_cur, limit.rlim_max});
  }
  errno = 0;
  baseline.nice = ::getpriority(PRIO_PROCESS, 0);
  baseline.oom_score_adj = read_oom_score();
  baseline.affinity = current_affinity();
  baseline.cgroup = own_cgroup();
  return baseline;
}

std::string Baseline::encode() const {
  json by_name = json::object();
  for (const Limit& limit : limits)
    by_name[limit.name] = {limit_to_json(limit.soft), limit_to_json(limit.hard)};
  return dump_json({{"limits", by_name},
                    {"nice", nice},
                    {"oom_score_adj", oom_score_adj},
                    {"affinity", affinity.encode()},
                    {"cgroup", cgroup}});
}

Baseline Baseline::decode(std::string_view text) {
  const json value = parse_json(text, "baseline");
  const JsonAt at{value, "baseline"};
  Baseline baseline;
  const JsonAt by_name = at.at("limits");
  by_name.object();
  for (const document::RlimitName& name : document::rlimit_names()) {
    const auto limit = by_name.find(name.name);
    if (!limit) continue;
    if (limit->array().size() != 2) throw limit->fail("expected a soft and a hard limit");
    baseline.limits.push_back({std::string{name.name}, limit_from_json(limit->at(std::size_t{0})),
                               limit_from_json(limit->at(std::size_t{1}))});
  }
  baseline.nice = static_cast<int>(at.at("nice").as_integer(-20, 19));
  baseline.oom_score_adj = static_cast<int>(at.at("oom_score_adj").as_integer(-1000, 1000));
  baseline.affinity = notation::Idset::decode(at.at("affinity").as_string());
  baseline.cgroup = at.at("cgroup").as_string();
  return baseline;
}

std::vector<std::string> differences(const Baseline& current, const Baseline& recorded) {
  std::vector<std::string> found;
  for (const Baseline::Limit& wanted : recorded.limits) {
    const auto same_name = [&](const Baseline::Limit& limit) { return limit.name == wanted.name; };
    const auto limit = std::find_if(current.limits.begin(), current.limits.end(), same_name);
    if (limit != current.limits.end() && limit->hard != wanted.hard) {
      found.push_back(
          fmt::format("{} limit is {}, not {}", wanted.name, in_words(limit->hard), in_words(wanted.hard)));
    }
  }
  if (current.nice != recorded.nice) {
    found.push_back(fmt::format("nice value is {}, not {}", current.nice, recorded.nice));
  }
  if (current.oom_score_adj != recorded.oom_score_adj) {
    found.push_back(fmt::format("oom score is {}, not {}", current.oom_score_adj, recorded.oom_score_adj));
  }
  if (current.affinity != recorded.affinity) {
    found.push_back(
        fmt::format("affinity is {}, not {}", current.affinity.encode(), recorded.affinity.encode()));
  }
  if (without_session(current.cgroup) != without_session(recorded.cgroup)) {
    found.push_back(
        fmt::format("control group is {}, not {}", quote(current.cgroup), quote(recorded.cgroup)));
  }
  return found;
}

std::vector<std::string> restore(const Baseline& recorded) {
  for (const Baseline::Limit& limit : recorded.limits) {
    if (const auto resource = document::rlimit_by_name(limit.name)) restore_limit(limit, *resource);
  }
  const Baseline current = Baseline::capture();
  if (current.nice != recorded.nice) ::setpriority(PRIO_PROCESS, 0, recorded.nice);
  if (current.oom_score_adj != recorded.oom_score_adj) write_oom_score(recorded.oom_score_adj);
  if (current.affinity != recorded.affinity) set_affinity(recorded.affinity);
  if (without_session(current.cgroup) != without_session(recorded.cgroup)) {
    if (const auto directory = cgroup_directory(recorded.cgroup)) join_cgroup(*directory);
  }
  return differences(Baseline::capture(), recorded);
}

bool is_in_force(const std::string& encoded) {
  if (encoded.empty() || encoded == "{}") return true;
  return differences(Baseline::capture(), Baseline::decode(encoded)).empty();
}

}  // namespace fq::process
