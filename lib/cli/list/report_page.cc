#include "cli/list/report_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/list/job_text.h"
#include "notation/fsd.h"

namespace fq::cli {

using manager::AccountNode;
using manager::SiteReport;

namespace {

/// So many banks, or users, have a colour of their own; the others are one.
constexpr std::size_t kSeries = 7;
/// So many users of a bank have a row.
constexpr std::ptrdiff_t kUsersOfBank = 20;

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>@TITLE@</title>
<style>
:root { color-scheme: light dark; --paper: #fbfaf7; --ink: #1d2327; --soft: #5b646b; --rule: #d9d6cd; --track: #e9e6de;
  --c0: #2f6f9f; --c1: #c2703d; --c2: #4f8a4c; --c3: #8d5a97; --c4: #b3923a; --c5: #3f8f8b; --c6: #a9495c; --c7: #8a9096; }
@media (prefers-color-scheme: dark) { :root { --paper: #16191b; --ink: #e7e4dd; --soft: #9aa3a8; --rule: #33393d;
  --track: #262b2e; --c0: #6ba6d3; --c1: #e09a6a; --c2: #83b97f; --c3: #bf8fc8; --c4: #d8bb6a; --c5: #71c0bb; --c6: #d98192;
  --c7: #9aa1a6; } }
body { margin: 0 auto; max-width: 64rem; padding: 1.5rem 1rem 3rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.05rem; margin: 2.2rem 0 .6rem; }
p { margin: .2rem 0; color: var(--soft); }
.figures { display: flex; flex-wrap: wrap; gap: .8rem 2.2rem; margin-top: 1.2rem; }
.figures div { min-width: 6rem; } .figures b { display: block; font-size: 1.45rem; font-variant-numeric: tabular-nums; }
.figures span { color: var(--soft); font-size: .85rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: right; font-weight: 600; font-size: .82rem; color: var(--soft); } td { text-align: right; }
th:first-child, td:first-child { text-align: left; white-space: pre; }
th, td { white-space: nowrap; padding: .22rem .6rem .22rem 0; border-bottom: 1px solid var(--rule); }
svg { display: block; width: 100%; min-width: 36rem; height: auto; } svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; font-size: .85rem; color: var(--soft); }
.legend i { display: inline-block; width: .8em; height: .8em; margin-right: .4em; border-radius: 2px; }
.bar { position: relative; min-width: 9rem; height: .95rem; background: var(--track); border-radius: 2px; }
.bar i { position: absolute; inset: 0 auto 0 0; background: var(--c0); border-radius: 2px; }
.bar u { position: absolute; top: -2px; bottom: -2px; width: 2px; background: var(--ink); }
</style>
)";

std::string html(std::string_view text) {
  std::string out;
  for (const char c : printable(std::string{text})) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string short_number(double value) {
  return value >= 100 || value == 0 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

std::string percent(double part) {
  return fmt::format("{:.1f} %", part * 100);
}

// What a name of a series stands for: users are numbers where there are no accounts.
std::string series_name(const SiteReport& report, const std::string& who) {
  if (report.accounts.exists) return who.empty() ? "no bank" : who;
  const auto uid = parse_u64(who);
  return uid ? user_name(static_cast<std::uint32_t>(*uid)) : who;
}

std::string figure(const std::string& value, std::string_view words) {
  return fmt::format("<div><b>{}</b><span>{}</span></div>\n", value, words);
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
  for (const double part : {0.0, 0.5, 1.0}) {
    out += fmt::format(
        "<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"var(--rule)\"/>"
        "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
        kLeft, kWidth, y(most * part), y(most * part), kLeft - 6, y(most * part) + 4,
        short_number(most * part));
  }
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
      std::string(depth * 2, ' '), html(node.name), node.account.shares, percent(node.allotted),
      percent(node.effective_usage), part * 100, due * 100,
      node.fair_share ? fmt::format("{:.3f}", *node.fair_share) : "", short_number(node.total[0] / 3600));
  std::vector<const AccountNode*> shown;
  std::size_t left_out = 0;
  for (const AccountNode& child : node.children) {
    if (!child.account.closed || child.usage > 0) shown.push_back(&child);
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
  std::string out{kHead};
  const std::string name = html(title);
  out.replace(out.find("@TITLE@"), std::string_view{"@TITLE@"}.size(), name);
  out +=
      fmt::format("<h1>{}</h1>\n<p>{} to {}</p>\n", name, report.days.front().date, report.days.back().date);
  out += figures(report);
  out += "<h2>Core-hours a day</h2>\n" + usage_chart(report);
  out += "<h2>Shares and usage</h2>\n" + accounts_table(report);
  out += "<h2>Waits for resources</h2>\n" + waits_table(report);
  out += "<h2>Jobs and how they ended</h2>\n" + ends_table(report);
  return out + "</html>\n";
}

}  // namespace fq::cli
