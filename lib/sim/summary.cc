#include "sim/summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace fq::sim {

using nlohmann::ordered_json;

namespace {

Distribution distribution(std::vector<double> values) {
  Distribution result;
  if (values.empty()) return result;
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  const auto nearest_rank = [&](double share) {
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(n)));
    return values[std::clamp<std::size_t>(rank, 1, n) - 1];
  };
  result.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(n);
  result.median = n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
  result.p95 = nearest_rank(0.95);
  result.max = values.back();
  return result;
}

struct Values {
  std::vector<double> wait, slowdown;
  double core_seconds = 0;

  void add_use(const JobRun& run) { core_seconds += static_cast<double>(run.ncores) * (run.end - run.start); }
  void add(const JobRun& run) {
    constexpr double kShortest = 10;
    const double waited = run.start - run.submit, ran = run.end - run.start;
    wait.push_back(waited);
    slowdown.push_back(std::max(1.0, (waited + ran) / std::max(ran, kShortest)));
  }
  /// `possible` core seconds are those of the whole machine.
  [[nodiscard]] Waits waits(double possible) const {
    return {wait.size(), distribution(wait), distribution(slowdown),
            possible > 0 ? core_seconds / possible : 0};
  }
};

ordered_json to_json(const Distribution& d) {
  return {{"mean", d.mean}, {"median", d.median}, {"p95", d.p95}, {"max", d.max}};
}

ordered_json to_json(const Waits& waits) {
  return {{"jobs", waits.jobs},
          {"wait", to_json(waits.wait)},
          {"bounded_slowdown", to_json(waits.slowdown)},
          {"utilisation", waits.utilisation}};
}

std::vector<Summary::Reason> reasons(const std::vector<DeniedJob>& denied) {
  std::map<std::string, Summary::Reason> by_text;
  for (const DeniedJob& job : denied) {
    Summary::Reason& reason =
        by_text.try_emplace(job.note, Summary::Reason{job.note, 0, job.id}).first->second;
    ++reason.jobs;
  }
  std::vector<Summary::Reason> all;
  for (auto& [text, reason] : by_text) all.push_back(std::move(reason));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.jobs > b.jobs; });
  return all;
}

}  // namespace

std::string user_name(const std::map<std::int64_t, std::string>& names, std::int64_t user) {
  const auto name = names.find(user);
  return name == names.end() ? std::to_string(user) : name->second;
}

Summary summarise(const Outcome& outcome) {
  Summary summary;
  Values all;
  std::map<std::string, Values> queues;
  std::map<std::int64_t, Values> users;
  for (const JobRun& run : outcome.runs) {
    queues[run.queue].add_use(run);
    users[run.user].add_use(run);
    if (run.cut_off) {
      ++summary.preemptions;
      summary.lost_core_seconds += static_cast<double>(run.ncores) * (run.end - run.start);
      continue;
    }
    all.add(run);
    queues[run.queue].add(run);
    users[run.user].add(run);
  }
  summary.makespan = std::max(0.0, outcome.end - outcome.begin);
  const double possible = static_cast<double>(outcome.ncores) * summary.makespan;
  all.core_seconds = outcome.core_seconds;
  summary.all = all.waits(possible);
  for (const auto& [queue, values] : queues) summary.queues.emplace(queue, values.waits(possible));
  for (const auto& [user, values] : users) summary.users.emplace(user, values.waits(possible));
  summary.names = outcome.names;
  summary.denied = outcome.denied.size();
  summary.waiting = outcome.waiting.size();
  summary.reasons = reasons(outcome.denied);
  return summary;
}

ordered_json to_json(const Summary& summary) {
  ordered_json document = to_json(summary.all);
  document["denied"] = summary.denied;
  document["reasons"] = ordered_json::array();
  for (const Summary::Reason& reason : summary.reasons)
    document["reasons"].push_back({{"reason", reason.text}, {"jobs", reason.jobs}, {"first", reason.first}});
  document["waiting"] = summary.waiting;
  document["preemptions"] = summary.preemptions;
  document["lost_core_seconds"] = summary.lost_core_seconds;
  document["makespan"] = summary.makespan;
  document["queues"] = ordered_json::object();
  for (const auto& [queue, waits] : summary.queues) document["queues"][queue] = to_json(waits);
  document["users"] = ordered_json::object();
  for (const auto& [user, waits] : summary.users)
    document["users"][user_name(summary.names, user)] = to_json(waits);
  return document;
}

namespace {

ordered_json name_or_number(const std::map<std::int64_t, std::string>& names, std::int64_t user) {
  const auto name = names.find(user);
  return name == names.end() ? ordered_json(user) : ordered_json(name->second);
}

}  // namespace

ordered_json to_json(const std::vector<JobRun>& runs, const std::map<std::int64_t, std::string>& names) {
  ordered_json jobs = ordered_json::array();
  for (const JobRun& run : runs) {
    jobs.push_back({{"id", run.id},
                    {"queue", run.queue},
                    {"user", name_or_number(names, run.user)},
                    {"submit", run.submit},
                    {"start", run.start},
                    {"end", run.end},
                    {"R", parse_json(run.R.encode(), "R")}});
  }
  return jobs;
}

}  // namespace fq::sim
