#include "cli/live/live_screen.h"

#include <cerrno>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/output.h"
#include "cli/frame/terminal.h"

namespace fq::cli {
namespace {

// ECMA-48, and the private modes of xterm that terminals share: 1049 the alternate screen, 25 the cursor, 7
// the wrapping of long lines.
constexpr std::string_view kEnter = "\033[?1049h\033[?25l\033[?7l";
constexpr std::string_view kLeave = "\033[?7h\033[?25h\033[?1049l";
constexpr std::string_view kHome = "\033[H";
constexpr std::string_view kEraseLine = "\033[K";
constexpr std::string_view kEraseBelow = "\033[J";
constexpr int kSignalBase = 128;

// The first key of `typed`, which is taken off; nothing for one that means nothing. Arrows come as ESC [ A,
// or as ESC O A where a program before had the keypad send that.
std::optional<Key> take_key(std::string_view& typed) {
  const auto is_arrow = [&](char letter) {
    return typed.size() > 2 && (typed[1] == '[' || typed[1] == 'O') && typed[2] == letter;
  };
  constexpr char kEscape = '\033';
  std::optional<Key> key;
  std::size_t length = 1;
  switch (typed.front()) {
    case 'q':
    case 'Q':
      key = Key::quit;
      break;
    case 'k':
      key = Key::up;
      break;
    case 'j':
      key = Key::down;
      break;
    case '\r':
    case '\n':
      key = Key::enter;
      break;
    case kEscape:
      if (is_arrow('A')) key = Key::up;
      if (is_arrow('B')) key = Key::down;
      if (is_arrow('D')) key = Key::back;
      if (is_arrow('C') || key) length = 3;
      break;
    default:
      break;
  }
  typed.remove_prefix(length);
  return key;
}

}  // namespace

LiveScreen::LiveScreen() : input_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!input_.valid()) throw system_error("cannot wait for input", errno);
  const char* term = std::getenv("TERM");
  if (!terminal_size(STDOUT_FILENO) || (term != nullptr && std::string_view{term} == "dumb")) {
    throw Error{Kind::refused, "standard output is no terminal that can be drawn on"};
  }
  epoll_event event{};
  event.events = EPOLLIN;
  ::epoll_ctl(input_.get(), EPOLL_CTL_ADD, signals_.fd(), &event);
  if (::isatty(STDIN_FILENO) == 1) ::epoll_ctl(input_.get(), EPOLL_CTL_ADD, STDIN_FILENO, &event);
}

LiveScreen::~LiveScreen() {
  leave();
}

void LiveScreen::enter() {
  termios settings{};
  if (::isatty(STDIN_FILENO) == 1 && ::tcgetattr(STDIN_FILENO, &settings) == 0) {
    settings_ = settings;
    // Keys come one by one and are not shown.
    settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    settings.c_cc[VMIN] = 0;
    settings.c_cc[VTIME] = 0;
    ::tcsetattr(STDIN_FILENO, TCSANOW, &settings);
  }
  entered_ = true;
  print(kEnter);
}

void LiveScreen::leave() noexcept {
  if (!std::exchange(entered_, false)) return;
  if (settings_) ::tcsetattr(STDIN_FILENO, TCSANOW, &*settings_);
  try {
    print(kLeave);
  } catch (...) {  // the terminal is gone
  }
}

std::optional<int> LiveScreen::take_input(const std::function<bool(Key)>& pressed) {
  while (const int number = signals_.take()) {
    switch (number) {
      case SIGTSTP:
        leave();
        signals_.stop();
        break;
      case SIGCONT:
      case SIGWINCH:
        break;
      default:
        return kSignalBase + number;
    }
  }
  if (!entered_ || !settings_) return std::nullopt;
  char bytes[256];
  ssize_t n = 0;
  while ((n = ::read(STDIN_FILENO, bytes, sizeof bytes)) > 0) {
    std::string_view typed{bytes, static_cast<std::size_t>(n)};
    while (!typed.empty()) {
      const auto key = take_key(typed);
      if (!key || (pressed && pressed(*key))) continue;
      if (*key == Key::quit) return 0;
    }
  }
  return std::nullopt;
}

std::pair<std::size_t, std::size_t> LiveScreen::shown_lines(std::size_t lines, std::size_t rows) {
  constexpr std::size_t kShareOfLast = 3;
  if (lines <= rows) return {lines, 0};
  const std::size_t last = rows / kShareOfLast;
  return {rows - 1 - last, last};
}

std::size_t LiveScreen::rows() {
  return static_cast<std::size_t>(terminal_size(STDOUT_FILENO).value_or(TerminalSize{}).rows);
}

void LiveScreen::draw(std::string_view text, std::size_t left_out) {
  if (!entered_) enter();
  const std::size_t rows = LiveScreen::rows();
  if (text.ends_with('\n')) text.remove_suffix(1);
  const std::vector<std::string_view> lines = split(text, '\n');
  std::string out{kHome};
  const auto add = [&](std::string_view line) {
    if (out.size() > kHome.size()) out += "\r\n";
    // First, for after a full line the cursor stands on its last character.
    out.append(kEraseLine).append(line);
  };
  if (lines.size() <= rows) {
    for (const std::string_view line : lines) add(line);
  } else {
    const auto [first, last] = shown_lines(lines.size(), rows);
    for (std::size_t i = 0; i < first; ++i) add(lines[i]);
    add(fmt::format("({} more)", lines.size() - first - last + left_out));
    for (std::size_t i = lines.size() - last; i < lines.size(); ++i) add(lines[i]);
  }
  if (lines.size() < rows) out.append("\r\n").append(kEraseBelow);
  print(out);
}

}  // namespace fq::cli
