#include "sim/table.h"

#include "base/text.h"
#include "notation/fsd.h"

namespace fq::tools::sim {

std::string heading() {
  return fmt::format("{:<20} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>6} {:>9}\n", "NAME", "JOBS", "WAIT",
                     "MEDIAN", "P95", "MAX", "SLOWDOWN", "USED", "MAKESPAN");
}

namespace {

std::string row(const std::string& name, const fq::sim::Waits& waits, const fq::sim::Summary* whole) {
  const auto length = [](double seconds) { return notation::format_fsd(seconds); };
  std::string line = fmt::format("{:<20} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9.2f}", name, waits.jobs,
                                 length(waits.wait.mean), length(waits.wait.median), length(waits.wait.p95),
                                 length(waits.wait.max), waits.slowdown.mean);
  if (whole != nullptr)
    line += fmt::format(" {:>5.1f}% {:>9}", 100 * whole->utilisation, length(whole->makespan));
  return line + "\n";
}

}  // namespace

std::string table(const std::string& name, const fq::sim::Summary& summary, bool parts) {
  std::string text = row(name, summary.all, &summary);
  if (!parts) return text;
  if (summary.queues.size() > 1) {
    for (const auto& [queue, waits] : summary.queues) text += row("queue " + queue, waits, nullptr);
  }
  if (summary.users.size() > 1) {
    for (const auto& [user, waits] : summary.users)
      text += row(fmt::format("user {}", fq::sim::user_name(summary.names, user)), waits, nullptr);
  }
  return text;
}

}  // namespace fq::tools::sim
