#include "cli/live/line_selection.h"

#include <algorithm>

#include "cli/live/live_screen.h"

namespace fq::cli {
namespace {

constexpr std::string_view kReverse = "\033[7m";
constexpr std::string_view kUpright = "\033[27m";

// ECMA-48 SGR, as colours are: ESC [ … m.
std::string without_colors(std::string_view line) {
  std::string plain;
  while (!line.empty()) {
    const std::size_t escape = line.find("\033[");
    plain += line.substr(0, escape);
    const std::size_t end = escape == std::string_view::npos ? escape : line.find('m', escape);
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  return plain;
}

}  // namespace

void LineSelection::move(bool down, const std::vector<Line>& lines, std::size_t rows) {
  const auto [first, last] = LiveScreen::shown_lines(text_lines_, rows);
  std::vector<Line> shown;
  for (const Line& line : lines) {
    if (line.number < first || line.number + last >= text_lines_) shown.push_back(line);
  }
  if (shown.empty()) return;
  const auto at =
      std::find_if(shown.begin(), shown.end(), [this](const Line& line) { return line.job == job_; });
  if (at == shown.end()) {
    job_ = (down ? shown.front() : shown.back()).job;
  } else if (down) {
    job_ = (at + 1 == shown.end() ? at : at + 1)->job;
  } else {
    job_ = (at == shown.begin() ? at : at - 1)->job;
  }
}

std::optional<notation::JobId> LineSelection::chosen(const std::vector<Line>& lines) const {
  const bool is_there =
      std::any_of(lines.begin(), lines.end(), [this](const Line& line) { return line.job == job_; });
  return is_there ? job_ : std::nullopt;
}

std::string LineSelection::mark(std::string text, const std::vector<Line>& lines) {
  text_lines_ = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  const auto line =
      std::find_if(lines.begin(), lines.end(), [this](const Line& each) { return each.job == job_; });
  if (line == lines.end()) return text;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < line->number; ++i) begin = text.find('\n', begin) + 1;
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  std::string marked{kReverse};
  marked.append(without_colors(std::string_view{text}.substr(begin, end - begin))).append(kUpright);
  return text.replace(begin, end - begin, marked);
}

}  // namespace fq::cli
