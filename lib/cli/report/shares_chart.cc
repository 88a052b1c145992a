#include "cli/report/shares_chart.h"

#include <algorithm>
#include <functional>
#include <map>

#include "base/text.h"
#include "cli/report/page.h"
#include "request/accounts.h"

namespace fq::cli {

using request::AccountNode;
using request::SiteReport;

namespace {

/// So many banks have a line of their own.
constexpr std::size_t kLines = 8;

// Of each bank that one right below the root which it is part of; of the root the root.
std::map<std::string, std::string> tops_of(const AccountNode& root) {
  std::map<std::string, std::string> tops{{root.name, root.name}};
  const std::function<void(const AccountNode&, const std::string&)> visit = [&](const AccountNode& bank,
                                                                                const std::string& top) {
    tops[bank.name] = top;
    for (const AccountNode& child : bank.children) {
      if (!child.is_user) visit(child, top);
    }
  };
  for (const AccountNode& child : root.children) {
    if (!child.is_user) visit(child, child.name);
  }
  return tops;
}

}  // namespace

std::vector<DeliveredShare> delivered_shares(const SiteReport& report) {
  if (!report.accounts.exists) return {};
  const AccountNode& root = report.accounts.root;
  std::map<std::string, DeliveredShare> by_bank;
  for (const AccountNode& child : root.children)
    by_bank[child.is_user ? root.name : child.name].allotted += child.closed ? 0 : child.allotted;
  const std::map<std::string, std::string> tops = tops_of(root);
  std::map<std::string, double> used;
  double all = 0;
  for (std::size_t day = 0; day < report.days.size(); ++day) {
    for (const auto& [bank, hours] : report.days[day].core_hours) {
      const auto top = tops.find(bank);
      if (top == tops.end()) continue;
      used[top->second] += hours;
      all += hours;
      by_bank.try_emplace(top->second);
    }
    for (auto& [bank, share] : by_bank) {
      share.delivered.resize(day);
      share.delivered.push_back(all > 0 ? std::clamp(used[bank] / all, 0.0, 1.0) : 0);
    }
  }
  std::vector<DeliveredShare> shares;
  for (auto& [bank, share] : by_bank) {
    if (share.allotted == 0 && used[bank] == 0) continue;
    share.bank = bank;
    shares.push_back(std::move(share));
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const DeliveredShare& a, const DeliveredShare& b) { return a.allotted > b.allotted; });
  return shares;
}

std::string shares_chart(const SiteReport& report) {
  if (!report.accounts.exists) return "<p>There are no accounts: everybody is equal.</p>\n";
  std::vector<DeliveredShare> shares = delivered_shares(report);
  const auto begin = std::find_if(report.days.begin(), report.days.end(),
                                  [](const auto& day) { return !day.core_hours.empty(); });
  if (shares.empty() || begin == report.days.end()) return "<p>Nothing was used in these days.</p>\n";
  const std::size_t left_out = shares.size() - std::min(shares.size(), kLines);
  shares.resize(shares.size() - left_out);
  constexpr double kWidth = 900, kHeight = 240, kFoot = 6;
  constexpr ChartArea kArea{52, 892, 8, kHeight - 22};
  const auto first = static_cast<std::size_t>(begin - report.days.begin());
  const std::size_t days = report.days.size() - first;
  const double step = (kArea.right - kArea.left) / static_cast<double>(days);
  // What was delivered by the end of a day stands where that ends.
  const auto x = [&](std::size_t day) { return kArea.left + step * static_cast<double>(day - first + 1); };
  std::string lines, legend;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const DeliveredShare& share = shares[k];
    const double due = kArea.y(share.allotted, 1);
    lines += fmt::format(
        "<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"var(--c{})\" "
        "stroke-dasharray=\"4 3\"/>\n",
        kArea.left, kArea.right, due, due, k);
    std::string points = fmt::format("{:.1f},{:.1f}", kArea.left, kArea.y(share.delivered[first], 1));
    for (std::size_t day = first; day < report.days.size(); ++day)
      points += fmt::format(" {:.1f},{:.1f}", x(day), kArea.y(share.delivered[day], 1));
    const std::string words = fmt::format("{}: {} of all, allotted {}", html(share.bank),
                                          percent(share.delivered.back()), percent(share.allotted));
    lines += fmt::format(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"var(--c{})\" stroke-width=\"2\"><title>{}</title>"
        "</polyline>\n",
        points, k, words);
    legend += fmt::format("<span><i style=\"background:var(--c{})\"></i>{}</span>", k, words);
  }
  const std::size_t every = std::max<std::size_t>(1, days / 8);
  for (std::size_t day = 0; day < days; day += every) {
    lines +=
        fmt::format("<text x=\"{:.1f}\" y=\"{}\">{}</text>\n", kArea.left + step * static_cast<double>(day),
                    kHeight - kFoot, report.days[first + day].date.substr(5));
  }
  if (left_out > 0) legend += fmt::format("<span>{} more</span>", left_out);
  return fmt::format(
             "<p>Of all core-hours since {}, the part of each bank; dashed what its shares give it.</p>\n"
             "<div class=\"wide\"><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"delivered shares "
             "against "
             "allotted ones\">\n",
             report.days[first].date, kWidth, kHeight) +
         value_axis(kArea, 1, percent) + lines + "</svg></div>\n<div class=\"legend\">" + legend + "</div>\n";
}

}  // namespace fq::cli
