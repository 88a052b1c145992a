// What is known of the terminal: whether to use colour, how wide it is.

#pragma once

#include <optional>
#include <string_view>

namespace fq::cli {

enum class ColorWhen { automatic, always, never };

/// `auto`, `always` or `never`. Throws Error{usage} with a near match.
[[nodiscard]] ColorWhen parse_color_when(std::string_view text);

/// Whether to colour what goes to `fd`. `automatic` means: a terminal that is not `dumb`, and NO_COLOR is
/// unset or empty.
[[nodiscard]] bool use_color(ColorWhen when, int fd);
/// The same decision on given facts; the texts are the values of NO_COLOR and TERM, null where unset.
[[nodiscard]] bool use_color(ColorWhen when, bool is_terminal, const char* no_color, const char* term);

struct TerminalSize {
  int columns = 80, rows = 24;
};
/// The size of the terminal that `fd` is, or nothing where it is none. COLUMNS and LINES in the environment
/// go before what the terminal says of itself.
[[nodiscard]] std::optional<TerminalSize> terminal_size(int fd);
/// Its columns alone.
[[nodiscard]] std::optional<int> terminal_width(int fd);

/// SGR sequences (ECMA-48).
namespace style {
inline constexpr std::string_view kReset = "\033[0m";
inline constexpr std::string_view kBold = "\033[1m";
inline constexpr std::string_view kRed = "\033[31m";
inline constexpr std::string_view kBoldRed = "\033[1;31m";
inline constexpr std::string_view kGreen = "\033[32m";
inline constexpr std::string_view kBoldGreen = "\033[1;32m";
inline constexpr std::string_view kYellow = "\033[33m";
inline constexpr std::string_view kBlue = "\033[34m";
inline constexpr std::string_view kMagenta = "\033[35m";
inline constexpr std::string_view kGray = "\033[90m";
}  // namespace style

}  // namespace fq::cli
