#include "cli/report/report_metrics.h"

#include <functional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
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

class Exposition {
 public:
  void family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    out_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }
  void sample(const Labels& labels, double value) {
    out_ += name_;
    bool first = true;
    for (const auto& [label, text] : labels) {
      out_ += fmt::format("{}{}=\"{}\"", first ? "{" : ",", label, escaped(text));
      first = false;
    }
    if (!labels.empty()) out_ += '}';
    out_ += fmt::format(" {:.10g}\n", value);
  }
  std::string take() { return std::move(out_); }

 private:
  std::string name_, out_;
};

void for_each_account(const AccountNode& node,
                      const std::function<void(const AccountNode&, const Labels&)>& visit) {
  const std::string& bank = node.is_user ? node.parent : node.name;
  visit(node, {{"bank", bank}, {"user", node.is_user ? node.name : std::string{}}});
  for (const AccountNode& child : node.children) for_each_account(child, visit);
}

void add_accounts(const SiteReport& report, Exposition& out) {
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
}

}  // namespace

std::string report_metrics(const SiteReport& report) {
  Exposition out;
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
  add_accounts(report, out);
  return out.take();
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
