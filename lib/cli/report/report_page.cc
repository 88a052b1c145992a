#include "cli/report/report_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/jobs/job_text.h"
#include "cli/report/page.h"
#include "cli/report/shares_chart.h"
#include "notation/fsd.h"
#include "request/accounts.h"
#include "request/site.h"

namespace fq::cli {

using request::AccountNode;
using request::SiteReport;

namespace {

/// So many banks, or users, have a colour of their own; the others are one.
constexpr std::size_t kSeries = 7;
/// So many users of a bank have a row.
constexpr std::ptrdiff_t kUsersOfBank = 20;

// What a name of a series stands for: users are numbers where there are no accounts.
std::string series_name(const SiteReport& report, const std::string& who) {
  if (report.accounts.exists) return who.empty() ? "no bank" : who;
  const auto uid = parse_u64(who);
  return uid ? user_name(static_cast<std::uint32_t>(*uid)) : who;
}

std::string figures(const SiteReport& report) {
  std::map<std::string, std::uint64_t> jobs;
  for (const auto& [queue, states] : report.jobs) {
    for (const auto& [state, count] : states) jobs[state] += count;
  }
  double used = 0, there = 0;
  for (const auto& day : report.days) {
    there += day.span_h * static_cast<double>(report.cores);
    for (const auto& [who, hours] : day.core_hours) used += hours;
  }
  std::string out = "<div class=\"figures\">\n";
  out += figure(fmt::format("{} / {}", report.allocated_cores, report.cores), "cores in use now");
  if (report.gpus > 0)
    out += figure(fmt::format("{} / {}", report.allocated_gpus, report.gpus), "GPUs in use now");
  out += figure(percent(there > 0 ? used / there : 0),
                fmt::format("of all core-hours in {} days", report.days.size()));
  out += figure(fmt::format("{}", jobs["running"]), "jobs run");
  out += figure(fmt::format("{}", jobs["pending"]), "jobs wait");
  out += figure(fmt::format("{}", report.nodes),
                report.drained_nodes == 0 ? std::string{"nodes"}
                                          : fmt::format("nodes, {} drained", report.drained_nodes));
  return out + "</div>\n";
}

// Those that used most, in that order; what is not among them is `others`.
std::vector<std::string> largest(const SiteReport& report) {
  std::map<std::string, double> sums;
  for (const auto& day : report.days) {
    for (const auto& [who, hours] : day.core_hours) sums[who] += hours;
  }
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [who, hours] : sums) order.emplace_back(-hours, who);
  std::sort(order.begin(), order.end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(order.size(), kSeries); ++i) names.push_back(order[i].second);
  return names;
}

// Stacked bars, a day each, and what the machine could have given as a line.
std::string usage_chart(const SiteReport& report) {
  constexpr double kWidth = 900, kHeight = 240, kLeft = 52, kBottom = 22, kTop = 8;
  const std::vector<std::string> names = largest(report);
  double most = 1e-9;
  for (const auto& day : report.days) {
    double sum = 0;
    for (const auto& [who, hours] : day.core_hours) sum += hours;
    most = std::max({most, sum, day.span_h * static_cast<double>(report.cores)});
  }
  const auto y = [&](double hours) { return kTop + (kHeight - kTop - kBottom) * (1 - hours / most); };
  const double step = (kWidth - kLeft) / static_cast<double>(report.days.size());
  std::string bars, capacity;
  for (std::size_t i = 0; i < report.days.size(); ++i) {
    const auto& day = report.days[i];
    const double x = kLeft + step * static_cast<double>(i);
    std::vector<double> parts(kSeries + 1);
    for (const auto& [who, hours] : day.core_hours) {
      const auto found = std::find(names.begin(), names.end(), who);
      parts[static_cast<std::size_t>(found - names.begin())] += hours;
    }
    if (names.size() < kSeries) parts.resize(names.size());
    double below = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (parts[k] <= 0) continue;
      const std::string name = k < names.size() ? series_name(report, names[k]) : "others";
      bars += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.2f}\" fill=\"var(--c{})\"><title>{} "
          "{}: {} "
          "core-hours</title></rect>\n",
          x + step * 0.1, y(below + parts[k]), step * 0.8, y(below) - y(below + parts[k]), k, day.date,
          html(name), short_number(parts[k]));
      below += parts[k];
    }
    const double there = y(day.span_h * static_cast<double>(report.cores));
    capacity += fmt::format("{}{:.1f},{:.1f} {:.1f},{:.1f}", i == 0 ? "" : " ", x, there, x + step, there);
    const std::size_t every = std::max<std::size_t>(1, report.days.size() / 8);
    if (i % every == 0)
      bars += fmt::format("<text x=\"{:.1f}\" y=\"{}\">{}</text>\n", x + step * 0.1, kHeight - 6,
                          day.date.substr(5));
  }
  std::string out = fmt::format(
      "<div class=\"wide\"><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"core-hours a day\">\n",
      kWidth, kHeight);
  out += value_axis({kLeft, kWidth, kTop, kHeight - kBottom}, most, short_number);
  out += bars + fmt::format(
                    "<polyline points=\"{}\" fill=\"none\" stroke=\"var(--ink)\" stroke-dasharray=\"4 "
                    "3\"/>\n</svg></div>\n",
                    capacity);
  out += "<div class=\"legend\">";
  for (std::size_t k = 0; k < names.size(); ++k)
    out += fmt::format("<span><i style=\"background:var(--c{})\"></i>{}</span>", k,
                       html(series_name(report, names[k])));
  return out + "<span>- - what there was</span></div>\n";
}

void add_account_rows(const AccountNode& node, std::size_t depth, std::string& out) {
  const double part = std::min(node.effective_usage, 1.0), due = std::min(node.allotted, 1.0);
  out += fmt::format(
      "<tr><td>{}{}</td><td>{:g}</td><td>{}</td><td>{}</td><td><div class=\"bar\"><i "
      "style=\"width:{:.1f}%\"></i><u "
      "style=\"left:{:.1f}%\"></u></div></td><td>{}</td><td>{}</td></tr>\n",
      std::string(depth * 2, ' '), html(node.name), node.shares, percent(node.allotted),
      percent(node.effective_usage), part * 100, due * 100,
      node.fair_share ? fmt::format("{:.3f}", *node.fair_share) : "", short_number(node.total[0] / 3600));
  std::vector<const AccountNode*> shown;
  std::size_t left_out = 0;
  for (const AccountNode& child : node.children) {
    if (!child.closed || child.usage > 0) shown.push_back(&child);
  }
  // Banks first; of many users those that use most.
  std::stable_sort(shown.begin(), shown.end(), [](const AccountNode* a, const AccountNode* b) {
    return std::pair{a->is_user, -a->usage} < std::pair{b->is_user, -b->usage};
  });
  const auto users =
      std::find_if(shown.begin(), shown.end(), [](const AccountNode* n) { return n->is_user; });
  if (shown.end() - users > kUsersOfBank) {
    left_out = static_cast<std::size_t>(shown.end() - users - kUsersOfBank);
    shown.erase(users + kUsersOfBank, shown.end());
  }
  for (const AccountNode* child : shown) add_account_rows(*child, depth + 1, out);
  if (left_out > 0)
    out += fmt::format(
        "<tr><td>{}&hellip; {} more</td><td></td><td></td><td></td><td></td><td></td><td></td></tr>\n",
        std::string((depth + 1) * 2, ' '), left_out);
}

std::string accounts_table(const SiteReport& report) {
  if (!report.accounts.exists) return "<p>There are no accounts: everybody is equal.</p>\n";
  std::string rows;
  add_account_rows(report.accounts.root, 0, rows);
  return "<p>Bars are the part of all usage, marks what the shares give.</p>\n<div "
         "class=\"wide\"><table><tr><th>bank or "
         "user</th><th>shares</th><th>allotted</th><th>used</th><th></th><th>fair-share</th><th>core-hours "
         "in all</th></tr>\n" +
         rows + "</table></div>\n";
}

std::string queue_name_of(const std::string& queue) {
  return queue.empty() ? "&ndash;" : html(queue);
}

std::string waits_table(const SiteReport& report) {
  if (report.waits.empty()) return "<p>No job has started in these days.</p>\n";
  std::string out =
      "<div "
      "class=\"wide\"><table><tr><th>queue</th><th>cores</th><th>jobs</th><th>median</th><th>mean</th><th>95 "
      "of "
      "100</th></tr>\n";
  for (const auto& each : report.waits) {
    const std::uint64_t least = std::uint64_t{1} << each.size;
    out += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        queue_name_of(each.queue), each.size == 0 ? "1" : fmt::format("{}&ndash;{}", least, 2 * least - 1),
        each.jobs, notation::format_fsd(std::round(each.median)), notation::format_fsd(std::round(each.mean)),
        notation::format_fsd(std::round(each.p95)));
  }
  return out + "</table></div>\n";
}

std::string ends_table(const SiteReport& report) {
  constexpr std::array<std::string_view, 6> kStates{"pending", "running", "completed",
                                                    "failed",  "timeout", "canceled"};
  std::string out = "<div class=\"wide\"><table><tr><th>queue</th>";
  for (const std::string_view state : kStates) out += fmt::format("<th>{}</th>", state);
  out += "<th>failed of ended</th></tr>\n";
  for (const auto& [queue, states] : report.jobs) {
    const auto count = [&](std::string_view state) {
      const auto found = states.find(std::string{state});
      return found == states.end() ? std::uint64_t{0} : found->second;
    };
    out += fmt::format("<tr><td>{}</td>", queue_name_of(queue));
    for (const std::string_view state : kStates) out += fmt::format("<td>{}</td>", count(state));
    const std::uint64_t bad = count("failed") + count("timeout");
    const std::uint64_t ended = bad + count("completed") + count("canceled");
    out += fmt::format("<td>{}</td></tr>\n",
                       ended == 0 ? "" : percent(static_cast<double>(bad) / static_cast<double>(ended)));
  }
  return out + "</table></div>\n";
}

}  // namespace

std::string report_page(const SiteReport& report, const std::string& title) {
  std::string out =
      page_head(title, fmt::format("{} to {}", report.days.front().date, report.days.back().date));
  out += figures(report);
  out += "<h2>Core-hours a day</h2>\n" + usage_chart(report);
  out += "<h2>Shares and usage</h2>\n" + accounts_table(report);
  out += "<h2>Delivered shares</h2>\n" + shares_chart(report);
  out += "<h2>Waits for resources</h2>\n" + waits_table(report);
  out += "<h2>Jobs and how they ended</h2>\n" + ends_table(report);
  return out + std::string{kPageEnd};
}

}  // namespace fq::cli
