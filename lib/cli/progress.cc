#include "cli/progress.h"

#include <utility>

#include <fmt/core.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/text_width.h"

namespace fq::cli {

Progress::Progress(std::string_view what, std::uint64_t total)
    : what_(what), total_(total), clock_(&system_clock_) {
  if (const auto columns = terminal_width(STDERR_FILENO)) {
    columns_ = *columns;
    write_ = print_error;
  }
}

Progress::Progress(std::string_view what, std::uint64_t total, const Clock& clock, int columns,
                   std::function<void(std::string_view)> write)
    : what_(what), total_(total), clock_(&clock), columns_(columns), write_(std::move(write)) {}

Progress::~Progress() {
  clear();
}

void Progress::update(std::uint64_t done) {
  if (!write_) return;
  const double now = clock_->boot_time();
  if (drawn_once_ && done < total_ && now - drawn_at_ < kInterval_s) return;
  drawn_once_ = true;
  drawn_at_ = now;
  const std::string line = fmt::format("{} {} of {}", what_, done, total_);
  // A line as wide as the terminal would wrap, and then could not be erased.
  const auto room = static_cast<std::size_t>(columns_ > 1 ? columns_ - 1 : 0);
  write_(fmt::format("\r\033[K{}", cut_to_width(line, room)));
  visible_ = true;
}

void Progress::clear() {
  if (!visible_) return;
  write_("\r\033[K");
  visible_ = false;
}

}  // namespace fq::cli
