#include "cli/frame/progress.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

#include "cli/frame/output.h"
#include "cli/frame/terminal.h"
#include "cli/frame/text_width.h"

namespace fq::cli {

Progress::Progress(bool rate) : rate_(rate), clock_(&system_clock_), began_at_(system_clock_.boot_time()) {
  if (const auto columns = terminal_width(STDERR_FILENO)) {
    columns_ = *columns;
    write_ = print_error;
  }
}

Progress::Progress(bool rate, const Clock& clock, int columns, std::function<void(std::string_view)> write)
    : rate_(rate),
      clock_(&clock),
      columns_(columns),
      write_(std::move(write)),
      began_at_(clock.boot_time()) {}

Progress::~Progress() {
  if (visible_) write_("\n");
}

std::string Progress::line(std::string_view before, std::uint64_t done, std::uint64_t total) const {
  constexpr std::uint64_t kMinute_s = 60;
  constexpr std::size_t kNarrowest = 5;
  const double elapsed_s = clock_->boot_time() - began_at_;
  const double part = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1;
  std::string after = fmt::format(" {:5.1f}% ", 100 * part);
  if (rate_) {
    after += fmt::format("{:.1f} job/s", elapsed_s > 0 ? static_cast<double>(done) / elapsed_s : 0);
  } else {
    const auto seconds = static_cast<std::uint64_t>(elapsed_s);
    after += fmt::format("{}:{:02}:{:02}", seconds / kMinute_s / kMinute_s, seconds / kMinute_s % kMinute_s,
                         seconds % kMinute_s);
  }
  // A line as wide as the terminal would wrap, and then could not be erased.
  const auto room = static_cast<std::size_t>(std::max(columns_ - 1, 0));
  const std::size_t taken = before.size() + 2 + after.size();
  if (taken + kNarrowest > room) return std::string{cut_to_width(fmt::format("{}{}", before, after), room)};
  const std::size_t width = room - taken;
  const auto filled = static_cast<std::size_t>(part * static_cast<double>(width));
  std::string bar(filled, '=');
  if (filled > 0 && filled < width) bar.back() = '>';
  bar.resize(width, ' ');
  return fmt::format("{}[{}]{}", before, bar, after);
}

void Progress::update(std::string_view before, std::uint64_t done, std::uint64_t total) {
  if (!write_) return;
  const double now = clock_->boot_time();
  if (drawn_once_ && done < total && now - drawn_at_ < kInterval_s) return;
  drawn_once_ = true;
  drawn_at_ = now;
  write_(fmt::format("\r\033[K{}", line(before, done, total)));
  visible_ = true;
}

void Progress::clear() {
  if (!visible_) return;
  write_("\r\033[K");
  visible_ = false;
  drawn_once_ = false;
}

}  // namespace fq::cli
