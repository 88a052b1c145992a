#include "cli/report/report_metrics.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/report/shares_chart.h"
#include "request/accounts.h"

namespace fq::cli {

using nlohmann::json;
using request::AccountNode;
using request::SiteReport;

namespace {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

std::string escaped(const std::string& value) {
  std::string out;
  for (const char c : value) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

// Figures of one name, each told apart by its labels.
struct Family {
  std::string_view name, type, help;
  std::vector<std::pair<Labels, double>> samples;
};

class Figures {
 public:
  void family(std::string_view name, std::string_view type, std::string_view help) {
    all_.push_back({name, type, help, {}});
  }
  void sample(Labels labels, double value) { all_.back().samples.emplace_back(std::move(labels), value); }
  [[nodiscard]] const std::vector<Family>& all() const { return all_; }

 private:
  std::vector<Family> all_;
};

void for_each_account(const AccountNode& node,
                      const std::function<void(const AccountNode&, const Labels&)>& visit) {
  const std::string& bank = node.is_user ? node.parent : node.name;
  visit(node, {{"bank", bank}, {"user", node.is_user ? node.name : std::string{}}});
  for (const AccountNode& child : node.children) for_each_account(child, visit);
}

void add_accounts(const SiteReport& report, Figures& out) {
  if (!report.accounts.exists) return;
  using Value = std::function<std::optional<double>(const AccountNode&)>;
  const auto add = [&](std::string_view name, std::string_view type, std::string_view help,
                       const Value& value) {
    out.family(name, type, help);
    for_each_account(report.accounts.root, [&](const AccountNode& node, const Labels& labels) {
      if (const auto number = value(node)) out.sample(labels, *number);
    });
  };
  add("fq_account_shares", "gauge", "Shares of what the parent has.",
      [](const AccountNode& node) { return node.claim(); });
  add("fq_account_usage_seconds", "gauge", "Usage that counts now: decayed, by weight.",
      [](const AccountNode& node) { return node.usage; });
  add("fq_account_fair_share", "gauge", "Factor of fair-share, 0 to 1.",
      [](const AccountNode& node) { return node.fair_share; });
  add("fq_account_core_seconds_total", "counter", "Core-seconds used in all.",
      [](const AccountNode& node) { return node.total[0]; });
  add("fq_account_gpu_seconds_total", "counter", "GPU-seconds used in all.",
      [](const AccountNode& node) { return node.total[1]; });
  add("fq_account_running_jobs", "gauge", "Jobs that run and are charged.",
      [](const AccountNode& node) { return static_cast<double>(node.running); });
  add("fq_account_active_jobs", "gauge", "Jobs that have not ended.",
      [](const AccountNode& node) { return static_cast<double>(node.active_jobs); });
  add("fq_account_allotted_ratio", "gauge", "The part of everything that the shares give.",
      [](const AccountNode& node) { return node.allotted; });
  add("fq_account_used_ratio", "gauge", "The part of all usage that counts now.",
      [](const AccountNode& node) { return node.effective_usage; });
  add("fq_account_month_core_seconds", "gauge", "Core-seconds used since the month began.",
      [](const AccountNode& node) { return node.month_core_seconds; });
}

// Of the days that the report is of.
void add_days(const SiteReport& report, Figures& out) {
  double there = 0, used = 0;
  std::map<std::string, double> hours;
  for (const auto& day : report.days) {
    there += day.span_h * static_cast<double>(report.cores);
    for (const auto& [who, core_hours] : day.core_hours) {
      hours[who] += core_hours;
      used += core_hours;
    }
  }
  out.family("fq_days", "gauge", "Days that the figures of waits and core-hours are of.");
  out.sample({}, static_cast<double>(report.days.size()));
  const std::string_view label = report.accounts.exists ? "bank" : "userid";
  out.family("fq_core_hours", "gauge", "Core-hours used in these days.");
  for (const auto& [who, core_hours] : hours) out.sample({{label, who}}, core_hours);
  out.family("fq_utilisation_ratio", "gauge", "The part of all core-hours of these days that was used.");
  out.sample({}, there > 0 ? used / there : 0);
  const auto add = [&](std::string_view name, std::string_view help, const auto& value) {
    out.family(name, "gauge", help);
    for (const SiteReport::Waits& each : report.waits)
      out.sample({{"queue", each.queue}, {"cores", fmt::format("{}", std::uint64_t{1} << each.size)}},
                 value(each));
  };
  add("fq_wait_jobs", "Jobs that started in these days, by the least of their cores: 4 is 4 to 7.",
      [](const auto& waits) { return static_cast<double>(waits.jobs); });
  add("fq_wait_mean_seconds", "What they waited for resources.",
      [](const auto& waits) { return waits.mean; });
  add("fq_wait_median_seconds", "What half of them waited at the most.",
      [](const auto& waits) { return waits.median; });
  add("fq_wait_most_seconds", "What 95 of 100 waited at the most.",
      [](const auto& waits) { return waits.p95; });
  if (!report.accounts.exists) return;
  out.family("fq_delivered_ratio", "gauge",
             "The part of the core-hours of these days, of banks right below root.");
  for (const DeliveredShare& share : delivered_shares(report))
    out.sample({{"bank", share.bank}}, share.delivered.back());
}

// What failed, of what ended.
void add_failures(const SiteReport& report, Figures& out) {
  out.family("fq_failed_ratio", "gauge", "The part of the jobs that ended which failed or ran out of time.");
  for (const auto& [queue, states] : report.jobs) {
    const auto count = [&states = states](const char* state) {
      const auto found = states.find(state);
      return static_cast<double>(found == states.end() ? 0 : found->second);
    };
    const double bad = count("failed") + count("timeout");
    const double ended = bad + count("completed") + count("canceled");
    if (ended > 0) out.sample({{"queue", queue}}, bad / ended);
  }
}

Figures figures_of(const SiteReport& report) {
  Figures out;
  out.family("fq_jobs", "gauge", "Jobs by queue and by what has become of them.");
  for (const auto& [queue, states] : report.jobs) {
    for (const auto& [state, count] : states)
      out.sample({{"queue", queue}, {"state", state}}, static_cast<double>(count));
  }
  out.family("fq_queue_enabled", "gauge", "1 where the queue takes jobs.");
  for (const auto& queue : report.queues) out.sample({{"queue", queue.queue}}, queue.state.enabled ? 1 : 0);
  out.family("fq_queue_started", "gauge", "1 where jobs of the queue may start.");
  for (const auto& queue : report.queues)
    out.sample({{"queue", queue.queue}}, queue.state.started && queue.state.suspended.empty() ? 1 : 0);
  const auto one = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    out.family(name, "gauge", help);
    out.sample({}, static_cast<double>(value));
  };
  one("fq_nodes", "Nodes of the inventory.", report.nodes);
  one("fq_nodes_drained", "Nodes that are drained.", report.drained_nodes);
  one("fq_cores", "Cores of the inventory.", report.cores);
  one("fq_cores_allocated", "Cores that jobs hold.", report.allocated_cores);
  one("fq_gpus", "GPUs of the inventory.", report.gpus);
  one("fq_gpus_allocated", "GPUs that jobs hold.", report.allocated_gpus);
  add_failures(report, out);
  if (!report.days.empty()) add_days(report, out);
  add_accounts(report, out);
  return out;
}

}  // namespace

std::string report_metrics(const SiteReport& report) {
  std::string out;
  const Figures figures = figures_of(report);
  for (const Family& family : figures.all()) {
    out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", family.name, family.help, family.name, family.type);
    for (const auto& [labels, value] : family.samples) {
      out += family.name;
      bool first = true;
      for (const auto& [label, text] : labels) {
        out += fmt::format("{}{}=\"{}\"", first ? "{" : ",", label, escaped(text));
        first = false;
      }
      if (!labels.empty()) out += '}';
      out += fmt::format(" {:.10g}\n", value);
    }
  }
  return out;
}

std::string report_csv(const SiteReport& report) {
  Figures figures = figures_of(report);
  figures.family("fq_day_core_hours", "gauge", "Core-hours of a day.");
  const std::string_view who_label = report.accounts.exists ? "bank" : "userid";
  for (const auto& day : report.days) {
    for (const auto& [who, hours] : day.core_hours)
      figures.sample({{"date", day.date}, {who_label, who}}, hours);
  }
  constexpr std::array<std::string_view, 7> kColumns{"queue", "state",  "cores", "bank",
                                                     "user",  "userid", "date"};
  std::vector<std::string> heading{"figure"};
  heading.insert(heading.end(), kColumns.begin(), kColumns.end());
  heading.emplace_back("value");
  std::string out;
  append_csv(out, heading);
  for (const Family& family : figures.all()) {
    for (const auto& [labels, value] : family.samples) {
      std::vector<std::string> row{std::string{family.name.substr(family.name.find('_') + 1)}};
      for (const std::string_view column : kColumns) {
        const auto found = std::find_if(labels.begin(), labels.end(),
                                        [&](const auto& label) { return label.first == column; });
        row.push_back(found == labels.end() ? std::string{} : found->second);
      }
      row.push_back(fmt::format("{:.10g}", value));
      append_csv(out, row);
    }
  }
  return out;
}

std::string report_json(const SiteReport& report) {
  json days = json::array();
  for (const auto& day : report.days)
    days.push_back({{"date", day.date}, {"span_hours", day.span_h}, {"core_hours", day.core_hours}});
  json waits = json::array();
  for (const auto& each : report.waits) {
    waits.push_back({{"queue", each.queue},
                     {"cores_from", std::uint64_t{1} << each.size},
                     {"jobs", each.jobs},
                     {"mean", each.mean},
                     {"median", each.median},
                     {"p95", each.p95}});
  }
  json queues = json::array();
  for (const auto& queue : report.queues)
    queues.push_back(
        {{"queue", queue.queue}, {"enabled", queue.state.enabled}, {"started", queue.state.started}});
  return dump_json({{"time", report.now},
                    {"resources",
                     {{"nodes", report.nodes},
                      {"nodes_drained", report.drained_nodes},
                      {"cores", report.cores},
                      {"cores_allocated", report.allocated_cores},
                      {"gpus", report.gpus},
                      {"gpus_allocated", report.allocated_gpus}}},
                    {"jobs", report.jobs},
                    {"queues", queues},
                    {"days", days},
                    {"waits", waits}}) +
         '\n';
}

}  // namespace fq::cli
