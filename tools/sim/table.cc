#include "sim/table.h"

#include "base/text.h"
#include "notation/fsd.h"

namespace fq::tools::sim {

std::string heading() {
  return fmt::format("{:<20} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>6} {:>9}\n", "NAME", "JOBS", "WAIT",
                     "MEDIAN", "P95", "MAX", "SLOWDOWN", "USED", "MAKESPAN");
}

namespace {

std::string row(const std::string& name, const fq::sim::Waits& waits) {
  const auto length = [](double seconds) { return notation::format_fsd(seconds); };
  return fmt::format("{:<20} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9.2f} {:>5.1f}%", name, waits.jobs,
                     length(waits.wait.mean), length(waits.wait.median), length(waits.wait.p95),
                     length(waits.wait.max), waits.slowdown.mean, 100 * waits.utilisation);
}

}  // namespace

std::string table(const std::string& name, const fq::sim::Summary& summary) {
  std::string text =
      fmt::format("{} {:>9}\n", row(name, summary.all), notation::format_fsd(summary.makespan));
  if (summary.queues.size() > 1) {
    for (const auto& [queue, waits] : summary.queues) text += row("queue " + queue, waits) + "\n";
  }
  if (summary.users.size() > 1) {
    for (const auto& [user, waits] : summary.users)
      text += row(fmt::format("user {}", fq::sim::user_name(summary.names, user)), waits) + "\n";
  }
  return text;
}

}  // namespace fq::tools::sim
