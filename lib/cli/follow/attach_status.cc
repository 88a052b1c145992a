#include "cli/follow/attach_status.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/frame/output.h"
#include "cli/frame/terminal.h"
#include "cli/frame/text_width.h"
#include "request/why.h"

namespace fq::cli {

bool AttachStatus::is_wanted(bool asked) {
  const bool interactive =
      ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
  return asked || (interactive && std::getenv("FLUX_ATTACH_NONINTERACTIVE") == nullptr);
}

namespace {

std::string perilog_words(const job::Job& job) {
  if (job.prologs > 0) return "waiting for its prolog";
  return job.epilogs > 0 ? "waiting for its epilog" : "";
}

}  // namespace

std::string pending_words(const job::Job& job, const std::vector<request::Reason>& reasons) {
  using Kind = request::Reason::Kind;
  if (!job::is_pending(job.state)) return perilog_words(job);
  for (const request::Reason& reason : reasons) {
    if (reason.kind == Kind::held) return "held";
    if (reason.kind == Kind::never || reason.kind == Kind::stopped || reason.kind == Kind::enclosing)
      return "waiting: " + reason.text;
  }
  const auto first_of = [&](std::initializer_list<Kind> kinds) -> std::string {
    const auto is_one = [&](const request::Reason& reason) {
      return std::find(kinds.begin(), kinds.end(), reason.kind) != kinds.end();
    };
    const auto found = std::find_if(reasons.begin(), reasons.end(), is_one);
    if (found == reasons.end()) return {};
    const auto more = std::count_if(found + 1, reasons.end(), is_one);
    return fmt::format("waiting: {}{}", found->text, more > 0 ? fmt::format("; and {} more", more) : "");
  };
  switch (job.state) {
    case job::State::depend:
      if (std::string text = first_of({Kind::dependency}); !text.empty()) return text;
      return "waiting for dependencies";
    case job::State::sched:
      if (std::string text = first_of({Kind::limit, Kind::reserved}); !text.empty()) return text;
      return "waiting for resources";
    default:
      return "waiting for a priority";
  }
}

void AttachStatus::draw(const job::Job& job, const std::vector<request::Reason>& reasons, double now) {
  constexpr int kWidest = 80;
  const std::string words = pending_words(job, reasons);
  if (words.empty()) return clear();
  const auto seconds = static_cast<std::uint64_t>(std::max(now - began_at_, 0.0));
  const std::string time = fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  const std::string line = printable(fmt::format("{}: {} {}", command_, job.id, words));
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

namespace {

// What stays the same while only numbers change.
std::string meaning_of(const std::vector<request::Reason>& reasons) {
  using Kind = request::Reason::Kind;
  std::string meaning;
  for (const request::Reason& reason : reasons) {
    const bool varies =
        reason.kind == Kind::turn || reason.kind == Kind::estimate || reason.kind == Kind::dependency;
    const std::string part = !varies                           ? reason.text
                             : reason.kind == Kind::dependency ? "dependencies"
                                                               : "resources";
    if (!meaning.ends_with(part)) meaning += "\n" + part;
  }
  return meaning;
}

}  // namespace

std::optional<std::string> WaitLines::next(const job::Job& job, const std::vector<request::Reason>& reasons) {
  constexpr std::size_t kMostTold = 3;
  if (std::string words = perilog_words(job); verbose_ && !words.empty()) {
    if (std::exchange(said_, words) == words) return std::nullopt;
    return fmt::format("job {} is {}", job.id, words);
  }
  if (!job::is_pending(job.state) || reasons.empty()) return std::nullopt;
  std::string meaning = meaning_of(reasons);
  if (std::exchange(said_, meaning) == meaning) return std::nullopt;
  std::string text = reasons.front().text;
  for (std::size_t i = 1; i < std::min(reasons.size(), kMostTold); ++i) text += "; " + reasons[i].text;
  if (reasons.size() > kMostTold) text += fmt::format("; and {} more", reasons.size() - kMostTold);
  return fmt::format("job {} waits: {}", job.id, text);
}

}  // namespace fq::cli
