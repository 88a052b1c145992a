#include "cli/live/instance_text.h"

#include <algorithm>
#include <ctime>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cli/frame/terminal.h"
#include "cli/jobs/job_text.h"
#include "notation/fsd.h"

namespace fq::cli {
namespace {

std::string clock_of_day(double time) {
  const auto seconds = static_cast<std::time_t>(time);
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  return fmt::format("{:02}:{:02}:{:02}", parts.tm_hour, parts.tm_min, parts.tm_sec);
}

// What does not work; empty where all does.
std::string notices(const request::InstanceOverview& overview) {
  std::vector<std::string> list;
  if (!overview.takes_jobs) list.emplace_back("submit disabled");
  if (!overview.starts_jobs) list.emplace_back("scheduler stopped");
  return join(list, ",  ");
}

// `cores [|||||     5/8]`
std::string bar(std::string_view name, std::uint64_t taken, std::uint64_t all, std::size_t columns,
                bool color) {
  const std::string count = fmt::format("{}/{}", taken, all);
  std::size_t filled = all == 0 ? 0 : static_cast<std::size_t>(taken * columns / all);
  if (taken > 0) filled = std::max<std::size_t>(filled, 1);
  std::string text = std::string(filled, '|') + std::string(columns - std::min(filled, columns), ' ');
  // The count stands at the right, over what is there.
  const std::size_t from = columns > count.size() ? columns - count.size() : 0;
  text.replace(from, std::string::npos, count);
  const std::size_t shown = std::min(filled, from);
  if (color && shown > 0)
    text = fmt::format("{}{}{}{}", style::kBlue, text.substr(0, shown), style::kReset, text.substr(shown));
  return fmt::format("{:>6} [{}]\n", name, text);
}

}  // namespace

std::string overview_text(const request::InstanceOverview& overview) {
  std::string text = fmt::format(" {} run {},  owner {},  depth {},  size {}", clock_of_day(overview.now),
                                 notation::format_fsd(overview.now - overview.since),
                                 printable(user_name(overview.owner)), overview.depth, overview.nodes);
  if (overview.drained_nodes > 0) text += fmt::format(",  {} drained", overview.drained_nodes);
  text += '\n';
  if (const std::string notice = notices(overview); !notice.empty()) text += fmt::format("  {}\n", notice);
  return text;
}

std::string summary_text(const request::InstanceOverview& overview, double now, bool color,
                         std::size_t columns) {
  std::string text = fmt::format("{}  up {}  {} pending, {} running, {} completed, {} failed\n",
                                 clock_of_day(now), notation::format_fsd(now - overview.since),
                                 overview.pending, overview.running, overview.completed, overview.failed);
  text += bar("nodes", overview.allocated_nodes, overview.nodes, columns, color);
  text += bar("cores", overview.allocated_cores, overview.cores, columns, color);
  if (overview.gpus > 0) text += bar("gpus", overview.allocated_gpus, overview.gpus, columns, color);
  std::string notice = notices(overview);
  if (overview.drained_nodes > 0)
    notice = join(std::vector<std::string>{counted(overview.drained_nodes, "node") + " drained", notice},
                  notice.empty() ? "" : ",  ");
  if (!notice.empty()) text += fmt::format("{:>6} {}\n", "", notice);
  return text + '\n';
}

}  // namespace fq::cli
