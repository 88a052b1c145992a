#include "cli/terminal.h"

#include <array>
#include <cstdlib>
#include <string>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

namespace fq::cli {

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

std::optional<int> terminal_width(int fd) {
  winsize size{};
  if (::isatty(fd) != 1) return std::nullopt;
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace fq::cli
