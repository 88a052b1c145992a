#include "cli/attach_status.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/text_width.h"

namespace fq::cli {

bool AttachStatus::is_wanted(bool asked) {
  const bool interactive =
      ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
  return asked || (interactive && std::getenv("FLUX_ATTACH_NONINTERACTIVE") == nullptr);
}

std::string_view pending_words(const job::Job& job) {
  switch (job.state) {
    case job::State::depend:
      return "waiting for dependencies";
    case job::State::priority:
      return "waiting for a priority";
    case job::State::sched:
      return job.urgency == 0 ? "held" : "waiting for resources";
    default:
      return {};
  }
}

void AttachStatus::draw(const job::Job& job, double now) {
  constexpr int kWidest = 80;
  const std::string_view words = pending_words(job);
  if (words.empty()) return clear();
  const auto seconds = static_cast<std::uint64_t>(std::max(now - began_at_, 0.0));
  const std::string time = fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  const std::string line = fmt::format("{}: {} {}", command_, job.id, words);
  const auto width =
      static_cast<std::size_t>(std::min(terminal_width(STDERR_FILENO).value_or(kWidest), kWidest) - 1);
  const std::size_t left = display_width(line);
  const std::string gap(width > left + time.size() ? width - left - time.size() : 1, ' ');
  print_error(fmt::format("\r\033[K{}", cut_to_width(line + gap + time, width)));
  drawn_ = true;
}

void AttachStatus::clear() {
  if (std::exchange(drawn_, false)) print_error("\r\033[K");
}

}  // namespace fq::cli
