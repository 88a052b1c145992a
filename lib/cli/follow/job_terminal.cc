#include "cli/follow/job_terminal.h"

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>

#include <fmt/core.h>
#include <unistd.h>

#include "base/fault_point.h"
#include "base/text.h"
#include "cli/frame/output.h"
#include "process/start/pty.h"

namespace fq::cli {
namespace {

constexpr char kStopKey = 0x1a;       // ctrl-Z
constexpr char kEndKey = 0x04;        // ctrl-D
constexpr char kInterruptKey = 0x03;  // ctrl-C
constexpr char kQuitKey = 0x1c;
// Typed ahead at most while the job's side takes nothing.
constexpr std::size_t kMaxTyped = 65536;
constexpr int kPacketsAtOnce = 64;

process::WindowSize window_here() {
  const auto out = process::window_size(STDOUT_FILENO);
  return out ? *out : process::window_size(STDIN_FILENO).value_or(process::WindowSize{});
}

}  // namespace

JobTerminal::JobTerminal(meeting::TerminalLink link, const Options& options)
    : link_(std::move(link)), options_(options), out_is_terminal_(::isatty(STDOUT_FILENO) == 1) {
  if (!options_.writes && ::isatty(STDIN_FILENO) != 1) reads_ = false;
  make_raw();
  fault_point("terminal-found");
  link_.send('A', meeting::encode_look({options_.writes, options_.owns, window_here()}));
  link_.flush();
}

JobTerminal::~JobTerminal() {
  restore();
}

void JobTerminal::make_raw() {
  termios settings{};
  if (::isatty(STDIN_FILENO) != 1 || ::tcgetattr(STDIN_FILENO, &settings) != 0) return;
  settings_ = settings;
  ::cfmakeraw(&settings);
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &settings);
}

void JobTerminal::restore() noexcept {
  if (out_is_terminal_) {
    try {
      print(modes_.leave_text());
    } catch (...) {  // the terminal is gone
    }
  }
  if (settings_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &*settings_);
}

std::vector<pollfd> JobTerminal::watched() const {
  std::vector<pollfd> fds{
      {signals_.fd(), POLLIN, 0},
      {link_.fd(), static_cast<short>(link_.queued() > 0 ? POLLIN | POLLOUT : POLLIN), 0}};
  // What is piped here waits until it can be typed.
  const bool heard = settings_ || writes_;
  if (reads_ && heard && link_.queued() < kMaxTyped) fds.push_back({STDIN_FILENO, POLLIN, 0});
  return fds;
}

JobTerminal::Outcome JobTerminal::take() {
  if (const auto outcome = take_signals()) return *outcome;
  // What is typed is heard however much is shown.
  if (const auto outcome = take_output(kPacketsAtOnce)) return *outcome;
  if (const auto outcome = take_keys()) return *outcome;
  send_typed();
  return link_.flush() ? Outcome::goes_on : take_output(INT_MAX).value_or(Outcome::lost);
}

void JobTerminal::show_rest() {
  static_cast<void>(take_output(INT_MAX));
}

std::optional<JobTerminal::Outcome> JobTerminal::take_signals() {
  while (const int number = signals_.take()) {
    switch (number) {
      case SIGWINCH:
      case SIGCONT:
        link_.send('S', meeting::encode_window(window_here()));
        break;
      case SIGTSTP:
        stop();
        break;
      case SIGINT:
        type({&kInterruptKey, 1});
        break;
      case SIGQUIT:
        type({&kQuitKey, 1});
        break;
      default:
        signal_ = number;
        return Outcome::killed;
    }
  }
  return std::nullopt;
}

std::optional<JobTerminal::Outcome> JobTerminal::take_output(int most) {
  for (int taken = 0; taken < most; ++taken) {
    const auto packet = link_.receive();
    if (!packet) return Outcome::lost;
    if (packet->empty()) return std::nullopt;
    const std::string_view text = packet->substr(1);
    if (packet->front() == 'E') {
      over_ = true;
      return Outcome::over;
    }
    began_ = true;
    switch (packet->front()) {
      case 'O':
        if (passed_over_) break;
        modes_.take(text);
        print(text);
        shown_ += text.size();
        break;
      case 'P':
        take_offset(text);
        break;
      case 'W':
        writes_ = true;
        if (std::exchange(knows_part_, true)) say_here("what you type goes to the job now");
        break;
      case 'R':
        if (options_.writes && (writes_ || !knows_part_)) {
          say_here("somebody else writes to this terminal: you watch (~w takes over, ~. leaves)");
        }
        writes_ = false;
        knows_part_ = true;
        typed_.clear();
        break;
      default:
        break;
    }
  }
  return std::nullopt;
}

void JobTerminal::take_offset(std::string_view text) {
  const auto offset = parse_u64(text);
  if (!offset || passed_over_) return;
  passed_over_ = *offset > shown_ && options_.logged && !out_is_terminal_;
  if (!passed_over_) shown_ = *offset;
}

std::optional<std::uint64_t> JobTerminal::unshown_from() const {
  if (over_ && !passed_over_) return std::nullopt;
  return shown_;
}

std::optional<JobTerminal::Outcome> JobTerminal::take_keys() {
  if (!reads_ || link_.queued() >= kMaxTyped || !(settings_ || writes_)) return std::nullopt;
  pollfd ready{STDIN_FILENO, POLLIN, 0};
  if (::poll(&ready, 1, 0) <= 0) return std::nullopt;
  std::array<char, 4096> keys{};
  const ssize_t n = ::read(STDIN_FILENO, keys.data(), keys.size());
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return std::nullopt;
  if (n <= 0) {
    reads_ = false;
    if (settings_) {
      signal_ = SIGHUP;  // the terminal is gone
      return Outcome::killed;
    }
    // In the middle of a line the first one only says that there will be no more of it.
    const std::string end(line_start_ ? 1 : 2, kEndKey);
    type(end);
    return std::nullopt;
  }
  const std::string_view typed{keys.data(), static_cast<std::size_t>(n)};
  if (!settings_) {
    type(typed);
    line_start_ = typed.back() == '\n';
    return std::nullopt;
  }
  for (const char c : typed) {
    if (const auto outcome = key(c)) return outcome;
  }
  return std::nullopt;
}

std::optional<JobTerminal::Outcome> JobTerminal::key(char c) {
  if (std::exchange(escape_, false)) {
    switch (c) {
      case '.':
        send_typed();
        link_.send('L', "");
        link_.flush();
        return Outcome::left;
      case kStopKey:
        stop();
        return std::nullopt;
      case 'w':
        if (!writes_) link_.send('T', "");
        return std::nullopt;
      case '?':
        say_here("~. leaves the job, ~w takes the writing over, ~^Z stops this command, ~~ is a ~");
        return std::nullopt;
      case '~':
        break;
      default:
        type("~");
    }
  } else if (line_start_ && c == '~') {
    escape_ = true;
    return std::nullopt;
  }
  type({&c, 1});
  line_start_ = c == '\r' || c == '\n';
  return std::nullopt;
}

void JobTerminal::type(std::string_view bytes) {
  // What is typed ahead waits until it is said who writes.
  if (writes_ || (options_.writes && !knows_part_)) typed_ += bytes;
}

void JobTerminal::send_typed() {
  if (writes_ && !typed_.empty()) link_.send('I', std::exchange(typed_, {}));
}

void JobTerminal::say_here(std::string_view text) {
  print_error(as_shown(fmt::format("\n{}: {}\n", options_.command, text)));
}

void JobTerminal::stop() {
  restore();
  signals_.stop();
  make_raw();
  print(modes_.enter_text());
  link_.send('S', meeting::encode_window(window_here()));
}

std::string JobTerminal::as_shown(std::string_view text) const {
  if (!settings_) return std::string{text};
  std::string shown;
  for (const char c : text) {
    if (c == '\n') shown += '\r';
    shown += c;
  }
  return shown;
}

}  // namespace fq::cli
