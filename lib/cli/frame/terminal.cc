#include "cli/frame/terminal.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

namespace fq::cli {
namespace {

void take_number(int& target, const char* text) {
  constexpr std::uint64_t kMost = 10'000;
  const auto number = text != nullptr ? parse_u64(text) : std::nullopt;
  if (number && *number > 0 && *number <= kMost) target = static_cast<int>(*number);
}

}  // namespace

ColorWhen parse_color_when(std::string_view text) {
  if (text == "auto") return ColorWhen::automatic;
  if (text == "always") return ColorWhen::always;
  if (text == "never") return ColorWhen::never;
  static const std::array<std::string, 3> kNames{"auto", "always", "never"};
  throw Error{Kind::usage, fmt::format("expected auto, always or never, got {}", quote(text)),
              did_you_mean(text, kNames)};
}

bool use_color(ColorWhen when, bool is_terminal, const char* no_color, const char* term) {
  if (when != ColorWhen::automatic) return when == ColorWhen::always;
  const bool refused = no_color != nullptr && *no_color != '\0';
  const bool dumb = term != nullptr && std::string_view{term} == "dumb";
  return is_terminal && !refused && !dumb;
}

bool use_color(ColorWhen when, int fd) {
  return use_color(when, ::isatty(fd) == 1, std::getenv("NO_COLOR"), std::getenv("TERM"));
}

std::optional<TerminalSize> terminal_size(int fd) {
  if (::isatty(fd) != 1) return std::nullopt;
  TerminalSize size;
  winsize reported{};
  if (::ioctl(fd, TIOCGWINSZ, &reported) == 0) {
    if (reported.ws_col > 0) size.columns = reported.ws_col;
    if (reported.ws_row > 0) size.rows = reported.ws_row;
  }
  take_number(size.columns, std::getenv("COLUMNS"));
  take_number(size.rows, std::getenv("LINES"));
  return size;
}

std::optional<int> terminal_width(int fd) {
  const auto size = terminal_size(fd);
  return size ? std::optional{size->columns} : std::nullopt;
}

}  // namespace fq::cli
