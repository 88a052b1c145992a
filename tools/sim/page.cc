#include "sim/page.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "cli/report/page.h"
#include "notation/fsd.h"

namespace fq::tools::sim {
namespace {

using cli::html;
using cli::percent;
using cli::short_number;
using fq::sim::JobRun;
using fq::sim::Outcome;
using fq::sim::Summary;
using fq::sim::user_name;
using fq::sim::Waits;

constexpr std::size_t kBins = 300;
/// So many users have a colour of their own; the others are one.
constexpr std::size_t kSeries = 7;
/// So many nodes have a row of their own in the chart of what ran where; else each row is some of them.
constexpr std::size_t kRows = 48;
/// So many rectangles are drawn; else the chart shows how full rows were.
constexpr std::size_t kMostBoxes = 6000;

constexpr cli::ChartArea kArea{72, 900, 8, 168};
constexpr double kChartHeight = 190;

// The time that a page shows.
struct Span {
  double begin = 0, end = 1;
  [[nodiscard]] double length() const { return end - begin; }
  [[nodiscard]] double x(double time) const {
    return kArea.left + (kArea.right - kArea.left) * (time - begin) / length();
  }
};

std::string duration_text(double seconds) {
  return notation::format_fsd(std::round(seconds));
}

// Times below a chart, in whole days, hours or minutes as the span allows.
std::string time_axis(const Span& span, double y) {
  constexpr double kSteps[] = {60, 300, 900, 3600, 10800, 21600, 43200, 86400, 172800, 604800, 2592000};
  const auto* step = std::find_if(std::begin(kSteps), std::end(kSteps) - 1,
                                  [&](double each) { return span.length() / each <= 9; });
  std::string out;
  for (double time = 0; time <= span.length() && time / *step < 40; time += *step) {
    // A text that begins near the end of the chart would not fit.
    constexpr double kTextWidth = 40;
    const double x = span.x(span.begin + time);
    const bool is_last = x > kArea.right - kTextWidth;
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.0f}\"{}>{}</text>\n", is_last ? kArea.right : x, y,
                       is_last ? " text-anchor=\"end\"" : "",
                       time == 0 ? std::string{"0"} : duration_text(time));
  }
  return out;
}

// Adds `amount` for the time from `from` to `to` to the bins of `span`, as a mean over each.
void spread(std::vector<double>& bins, const Span& span, double from, double to, double amount) {
  const double width = span.length() / static_cast<double>(bins.size());
  if (to <= from || width <= 0) return;
  const auto at = [&](double time) {
    return std::clamp((time - span.begin) / width, 0.0, static_cast<double>(bins.size()));
  };
  const double first = at(from), last = at(to);
  for (auto i = static_cast<std::size_t>(first); i < bins.size() && static_cast<double>(i) < last; ++i) {
    const double low = std::max(first, static_cast<double>(i));
    const double high = std::min(last, static_cast<double>(i) + 1);
    bins[i] += amount * (high - low);
  }
}

std::string area_chart(const std::vector<double>& bins, const Span& span, double most, std::string_view label,
                       std::string_view colour, const std::function<std::string(double)>& text) {
  const double width = (kArea.right - kArea.left) / static_cast<double>(bins.size());
  std::string points = fmt::format("{:.1f},{:.1f}", kArea.left, kArea.bottom);
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const double x = kArea.left + width * static_cast<double>(i), y = kArea.y(std::min(bins[i], most), most);
    points += fmt::format(" {:.1f},{:.1f} {:.1f},{:.1f}", x, y, x + width, y);
  }
  points += fmt::format(" {:.1f},{:.1f}", kArea.right, kArea.bottom);
  return fmt::format(
             "<div class=\"wide\"><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n"
             "<polygon points=\"{}\" fill=\"var(--{})\" fill-opacity=\".75\"/>\n",
             kArea.right, kChartHeight, label, points, colour) +
         cli::value_axis(kArea, most, text) + time_axis(span, kChartHeight - 4) + "</svg></div>\n";
}

std::string use_chart(const Outcome& outcome, const Span& span) {
  std::vector<double> bins(kBins);
  for (const JobRun& run : outcome.runs)
    spread(bins, span, run.start, run.end, static_cast<double>(run.ncores));
  return area_chart(bins, span, static_cast<double>(std::max<std::uint64_t>(outcome.ncores, 1)),
                    "cores in use over time", "c0", short_number);
}

std::string queue_chart(const Outcome& outcome, const Span& span) {
  std::vector<double> bins(kBins);
  for (const JobRun& run : outcome.runs) spread(bins, span, run.submit, run.start, 1);
  // An even number, so that its half is one, too.
  const double most = std::max(2.0, 2 * std::ceil(*std::max_element(bins.begin(), bins.end()) / 2));
  return area_chart(bins, span, most, "jobs that wait over time", "c1", short_number);
}

// By how many cores jobs had: 1, 2-3, 4-7 and so on.
std::string waits_by_size(const Outcome& outcome) {
  std::map<int, std::vector<double>> sizes;
  for (const JobRun& run : outcome.runs)
    sizes[std::bit_width(std::max<std::uint64_t>(run.ncores, 1)) - 1].push_back(run.start - run.submit);
  if (sizes.empty()) return "<p>No job has started.</p>\n";
  double longest = 1;
  for (auto& [size, waits] : sizes) {
    std::sort(waits.begin(), waits.end());
    longest = std::max(longest, waits.back());
  }
  // Waits differ by orders of magnitude.
  const auto part = [&](double seconds) { return 100 * std::log1p(seconds) / std::log1p(longest); };
  std::string out =
      "<p>Bars are the median, marks 95 of 100, on a logarithmic scale.</p>\n<div class=\"wide\"><table>"
      "<tr><th>cores</th><th>jobs</th><th>median</th><th>mean</th><th>95 of 100</th><th>longest</th><th></th>"
      "</tr>\n";
  for (const auto& [size, waits] : sizes) {
    const std::uint64_t least = std::uint64_t{1} << static_cast<unsigned>(size);
    const double median = waits[(waits.size() - 1) / 2];
    const double p95 = waits[(waits.size() * 95 + 99) / 100 - 1];
    double sum = 0;
    for (const double wait : waits) sum += wait;
    out += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td><div class=\"bar\">"
        "<i style=\"width:{:.1f}%\"></i><u style=\"left:{:.1f}%\"></u></div></td></tr>\n",
        size == 0 ? "1" : fmt::format("{}&ndash;{}", least, 2 * least - 1), waits.size(),
        duration_text(median), duration_text(sum / static_cast<double>(waits.size())), duration_text(p95),
        duration_text(waits.back()), part(median), part(p95));
  }
  return out + "</table></div>\n";
}

// Which colour a user has: those that used most have one of their own.
class Colours {
 public:
  explicit Colours(const Outcome& outcome) : names_(outcome) {
    std::map<std::int64_t, double> used;
    for (const JobRun& run : outcome.runs)
      used[run.user] += static_cast<double>(run.ncores) * (run.end - run.start);
    std::vector<std::pair<double, std::int64_t>> order;
    for (const auto& [user, seconds] : used) order.emplace_back(-seconds, user);
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i) {
      colour_[order[i].second] = std::min(i, kSeries);
      if (i < kSeries) shown_.push_back(order[i].second);
    }
    others_ = order.size() > kSeries;
  }

  [[nodiscard]] std::size_t of(std::int64_t user) const { return colour_.at(user); }
  [[nodiscard]] std::string name(std::int64_t user) const {
    return user < 0 ? std::string{"nobody"} : user_name(names_.names, user);
  }
  [[nodiscard]] std::string legend() const {
    std::string out = "<div class=\"legend\">";
    for (std::size_t i = 0; i < shown_.size(); ++i)
      out += fmt::format("<span><i style=\"background:var(--c{})\"></i>user {}</span>", i,
                         html(name(shown_[i])));
    if (others_) out += fmt::format("<span><i style=\"background:var(--c{})\"></i>others</span>", kSeries);
    return out + "</div>\n";
  }

 private:
  const Outcome& names_;
  std::map<std::int64_t, std::size_t> colour_;
  std::vector<std::int64_t> shown_;
  bool others_ = false;
};

// The nodes that were used, in the order of their ranks: where each stands, and how many cores it is known to
// have.
struct Machine {
  std::map<std::uint32_t, std::size_t> place;
  std::vector<std::string> hosts;
  std::vector<std::uint64_t> cores;

  explicit Machine(const Outcome& outcome) {
    std::map<std::uint32_t, std::pair<std::string, std::uint64_t>> nodes;
    for (const JobRun& run : outcome.runs) {
      for (const auto& node : run.R.nodes()) {
        auto& [host, most] = nodes[node.rank];
        host = node.host;
        if (!node.cores.empty()) most = std::max<std::uint64_t>(most, node.cores.last() + 1);
      }
    }
    for (const auto& [rank, node] : nodes) {
      place.emplace(rank, hosts.size());
      hosts.push_back(node.first);
      cores.push_back(std::max<std::uint64_t>(node.second, 1));
    }
  }
};

constexpr double kRowHeight = 14, kGanttTop = 4;

// What of a name has room beside a row: its end, which tells nodes apart.
std::string short_label(const std::string& name) {
  constexpr std::size_t kMost = 10;
  return name.size() <= kMost ? html(name) : "&hellip;" + html(name.substr(name.size() - kMost + 1));
}

std::string gantt_frame(const std::vector<std::string>& labels, const std::string& body, const Span& span) {
  const double height = kGanttTop + kRowHeight * static_cast<double>(labels.size());
  std::string out = fmt::format(
      "<div class=\"wide\"><svg viewBox=\"0 0 {} {:.0f}\" role=\"img\" aria-label=\"what ran where\">\n",
      kArea.right, height + 20);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double y = kGanttTop + kRowHeight * static_cast<double>(i);
    out += fmt::format(
        "<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"var(--track)\"/>"
        "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
        kArea.left, y, kArea.right - kArea.left, kRowHeight - 1, kArea.left - 6, y + kRowHeight - 4,
        short_label(labels[i]));
  }
  return out + body + time_axis(span, height + 14) + "</svg></div>\n";
}

// A rectangle for each run of cores that a job had on a node.
std::string boxes(const Outcome& outcome, const Machine& machine, const Colours& colours, const Span& span) {
  std::string body;
  for (const JobRun& run : outcome.runs) {
    for (const auto& node : run.R.nodes()) {
      const std::size_t row = machine.place.at(node.rank);
      const double core = (kRowHeight - 1) / static_cast<double>(machine.cores[row]);
      for (const auto& [first, last] : node.cores.ranges()) {
        body += fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
            "fill=\"var(--c{})\"><title>job {}, "
            "user {}: {}, {} after {}</title></rect>\n",
            span.x(run.start),
            kGanttTop + kRowHeight * static_cast<double>(row) + core * static_cast<double>(first),
            std::max(span.x(run.end) - span.x(run.start), 0.3), core * static_cast<double>(last - first + 1),
            colours.of(run.user), run.id, html(colours.name(run.user)), counted(run.ncores, "core"),
            duration_text(run.end - run.start), duration_text(run.start - span.begin));
      }
    }
  }
  return body;
}

// How full rows of nodes were, the stronger the fuller.
std::string shades(const Outcome& outcome, const Machine& machine, std::size_t rows, std::size_t nodes_a_row,
                   const Span& span) {
  std::vector<std::vector<double>> filled(rows, std::vector<double>(kBins));
  std::vector<double> most(rows);
  for (std::size_t i = 0; i < machine.cores.size(); ++i)
    most[i / nodes_a_row] += static_cast<double>(machine.cores[i]);
  for (const JobRun& run : outcome.runs) {
    for (const auto& node : run.R.nodes())
      spread(filled[machine.place.at(node.rank) / nodes_a_row], span, run.start, run.end,
             static_cast<double>(node.cores.count()));
  }
  const double width = (kArea.right - kArea.left) / static_cast<double>(kBins);
  // Neighbours with edges of their own would show stripes.
  std::string body = "<g fill=\"var(--c0)\" shape-rendering=\"crispEdges\">\n";
  for (std::size_t row = 0; row < rows; ++row) {
    const auto percent_of = [&](std::size_t bin) {
      return static_cast<int>(std::lround(100 * std::min(filled[row][bin] / most[row], 1.0)));
    };
    for (std::size_t i = 0, end = 0; i < kBins; i = end) {
      const int part = percent_of(i);
      for (end = i + 1; end < kBins && percent_of(end) == part;) ++end;
      if (part == 0) continue;
      body += fmt::format(
          "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{}\" fill-opacity=\"{:.2f}\"/>\n",
          kArea.left + width * static_cast<double>(i), kGanttTop + kRowHeight * static_cast<double>(row),
          width * static_cast<double>(end - i), kRowHeight - 1, part / 100.0);
    }
  }
  return body + "</g>\n";
}

std::string gantt(const Outcome& outcome, const Span& span) {
  const Machine machine(outcome);
  if (machine.hosts.empty()) return "<p>No job has run.</p>\n";
  std::size_t wanted = 0;
  for (const JobRun& run : outcome.runs) {
    for (const auto& node : run.R.nodes()) wanted += node.cores.ranges().size();
  }
  if (machine.hosts.size() <= kRows && wanted <= kMostBoxes) {
    const Colours colours(outcome);
    return colours.legend() + gantt_frame(machine.hosts, boxes(outcome, machine, colours, span), span);
  }
  const std::size_t nodes_a_row = (machine.hosts.size() + kRows - 1) / kRows;
  const std::size_t rows = (machine.hosts.size() + nodes_a_row - 1) / nodes_a_row;
  std::vector<std::string> labels;
  for (std::size_t row = 0; row < rows; ++row) labels.push_back(machine.hosts[row * nodes_a_row]);
  return fmt::format("<p>{}; the stronger its colour, the more of its cores were in use.</p>\n",
                     nodes_a_row == 1 ? "A row is a node" : fmt::format("A row is {} nodes", nodes_a_row)) +
         gantt_frame(labels, shades(outcome, machine, rows, nodes_a_row, span), span);
}

std::string comparison(const std::vector<Simulation>& parts) {
  std::string out =
      "<div class=\"wide\"><table><tr><th>configuration</th><th>jobs</th><th>mean wait</th><th>median</th>"
      "<th>95 of 100</th><th>longest</th><th>slowdown</th><th>preemptions</th><th>used</th>"
      "<th>makespan</th></tr>\n";
  for (const Simulation& part : parts) {
    const Waits& all = part.summary.all;
    out += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.2f}</td><td>{}</td>"
        "<td>{}</td><td>{}</td>"
        "</tr>\n",
        html(part.name), all.jobs, duration_text(all.wait.mean), duration_text(all.wait.median),
        duration_text(all.wait.p95), duration_text(all.wait.max), all.slowdown.mean, part.summary.preemptions,
        percent(part.summary.all.utilisation), duration_text(part.summary.makespan));
  }
  return out + "</table></div>\n";
}

std::string figures(const Simulation& part) {
  const Summary& summary = part.summary;
  std::string out = "<div class=\"figures\">\n";
  out += cli::figure(fmt::format("{}", summary.all.jobs), "jobs ran");
  if (summary.denied > 0) out += cli::figure(fmt::format("{}", summary.denied), "denied");
  if (summary.waiting > 0) out += cli::figure(fmt::format("{}", summary.waiting), "never started");
  if (summary.preemptions > 0) {
    out += cli::figure(fmt::format("{}", summary.preemptions), "preemptions");
    out += cli::figure(fmt::format("{:.1f}", summary.lost_core_seconds / 3600), "core-hours lost by them");
  }
  out += cli::figure(percent(summary.all.utilisation), "of all core-seconds used");
  out += cli::figure(duration_text(summary.all.wait.mean), "mean wait");
  out += cli::figure(duration_text(summary.all.wait.median), "median wait");
  out += cli::figure(fmt::format("{:.2f}", summary.all.slowdown.mean), "mean bounded slowdown");
  out += cli::figure(duration_text(summary.makespan), "makespan");
  return out + "</div>\n";
}

}  // namespace

std::string simulation_page(const std::string& title, const std::vector<Simulation>& parts) {
  // All parts have the same time, so that they can be compared by eye.
  Span span{parts.front().outcome.begin, parts.front().outcome.end};
  for (const Simulation& part : parts) {
    span.begin = std::min(span.begin, part.outcome.begin);
    span.end = std::max(span.end, part.outcome.end);
  }
  if (span.length() <= 0) span.end = span.begin + 1;
  std::string out =
      cli::page_head(title, fmt::format("simulated; {} of pretended time", duration_text(span.length())));
  if (parts.size() > 1) out += "<h2>Configurations</h2>\n" + comparison(parts);
  for (const Simulation& part : parts) {
    const std::string of = parts.size() > 1 ? fmt::format(": {}", html(part.name)) : "";
    const auto title_of = [&](std::string_view words) { return fmt::format("<h2>{}{}</h2>\n", words, of); };
    if (parts.size() > 1) out += title_of("Figures");
    out += figures(part);
    out += title_of("Cores in use") + use_chart(part.outcome, span);
    out += title_of("Jobs that wait") + queue_chart(part.outcome, span);
    out += title_of("Waits by size") + waits_by_size(part.outcome);
    out += title_of("What ran where") + gantt(part.outcome, span);
  }
  return out + std::string{cli::kPageEnd};
}

}  // namespace fq::tools::sim
