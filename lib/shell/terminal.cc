#include "shell/terminal.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"

namespace fq::shell {
namespace {

// Kept of the output, for who comes later; it is cut when it is twice as long.
constexpr std::size_t kScrollback = 65536;
// Queued at most for one who looks.
constexpr std::size_t kMaxQueue = 262144;
// Typed at most while the task reads nothing.
constexpr std::size_t kMaxInput = 65536;
// How long the task's output waits for the one who writes, or for the first to come.
constexpr double kPatience_s = 5;
// A program draws the whole screen anew when the window has another size, and sees that if it lasts a while.
constexpr double kRedraw_s = 0.05;
// How long the end of the terminal waits for one who takes nothing; for all together it has kPatience_s.
constexpr double kLinger_s = 1;
constexpr int kPacketsAtOnce = 64;
constexpr std::size_t kMostLookers = 64;

}  // namespace

Terminal::Terminal(const meeting::JobFiles& files, notation::JobId id, process::WindowSize window,
                   const Clock& clock, std::function<void()> meanwhile)
    : files_(files),
      id_(id),
      clock_(clock),
      meanwhile_(std::move(meanwhile)),
      pty_(process::make_pty(window)),
      listening_(meeting::listen_for_lookers(files, id)),
      window_(window) {
  patience_ = clock_.boot_time() + kPatience_s;
}

Terminal::~Terminal() {
  end();
}

UniqueFd Terminal::share_master() const {
  UniqueFd master{::fcntl(pty_.master.get(), F_DUPFD_CLOEXEC, 0)};
  if (!master.valid()) throw system_error("cannot share a terminal", errno);
  return master;
}

void Terminal::watch(std::vector<pollfd>& fds) const {
  if (!listening_.valid()) return;
  if (lookers_.size() < kMostLookers) fds.push_back({listening_.get(), POLLIN, 0});
  if (!input_.empty()) fds.push_back({pty_.master.get(), POLLOUT, 0});
  for (const Looker& looker : lookers_) {
    short events = input_.size() < kMaxInput || &looker != writer_ ? POLLIN : 0;
    if (looker.link.queued() > 0 || looker.behind) events |= POLLOUT;
    fds.push_back({looker.link.fd(), events, 0});
  }
}

void Terminal::serve() {
  if (!listening_.valid()) return;
  accept(kMostLookers);
  for (Looker& looker : lookers_) take_packets(looker);
  type();
  const double now = clock_.boot_time();
  if (redraw_at_ && *redraw_at_ <= now) {
    redraw_at_.reset();
    process::resize(pty_.master, window_);
  }
  for (Looker& looker : lookers_) flush(looker);
  if (writer_ == nullptr) {
    if (seen_) patience_.reset();
  } else if (writer_->link.queued() < kMaxQueue) {
    patience_.reset();
  } else if (!patience_) {
    patience_ = now + kPatience_s;
  } else if (*patience_ <= now) {
    writer_->behind = true;
    writer_->link.drop_queue();
    patience_.reset();
  }
  forget_gone();
}

bool Terminal::wants_output() const {
  if (!patience_ || *patience_ <= clock_.boot_time()) return true;
  return writer_ == nullptr && scrollback_.size() < kScrollback;
}

std::optional<double> Terminal::due() const {
  std::optional<double> due = redraw_at_;
  if (patience_ && (!due || *patience_ < *due)) due = patience_;
  return due;
}

void Terminal::show(std::string_view bytes) {
  modes_.take(bytes);
  shown_ += bytes.size();
  scrollback_ += bytes;
  if (scrollback_.size() > 2 * kScrollback) {
    // What is kept begins with a line, or a sequence.
    const std::size_t from = scrollback_.size() - kScrollback;
    const std::size_t start = scrollback_.find_first_of("\n\033", from);
    scrollback_.erase(0, start == std::string::npos ? from : start);
    cut_ = true;
  }
  for (Looker& looker : lookers_) {
    if (!looker.began || looker.behind) continue;
    looker.link.send('O', bytes);
    if (&looker != writer_ && looker.link.queued() > kMaxQueue) {
      looker.behind = true;
      looker.link.drop_queue();
    }
    flush(looker);
  }
}

void Terminal::end() {
  if (!listening_.valid()) return;
  meeting::remove_terminal_socket(files_, id_);
  meeting::refuse_lookers(listening_);
  accept(SIZE_MAX);
  listening_.reset();
  const double until = clock_.boot_time() + kPatience_s;
  for (Looker& looker : lookers_) {
    take_packets(looker);
    // One who has come and not said so yet is shown it, too, but may be gone by now: he has not seen it.
    if (looker.behind || !looker.began) show_kept(looker);
    looker.link.send('E', "");
    meeting::send_rest(looker.link, until, kLinger_s, clock_, meanwhile_);
  }
  writer_ = nullptr;
  lookers_.clear();
  patience_.reset();
  redraw_at_.reset();
}

void Terminal::accept(std::size_t most) {
  while (lookers_.size() < most) {
    UniqueFd socket = meeting::accept_looker(listening_);
    if (!socket.valid()) return;
    lookers_.emplace_back(std::move(socket));
  }
}

void Terminal::take_packets(Looker& looker) {
  for (int taken = 0; !looker.gone && taken < kPacketsAtOnce; ++taken) {
    if (&looker == writer_ && input_.size() >= kMaxInput) {
      pollfd end{looker.link.fd(), 0, 0};
      looker.gone = ::poll(&end, 1, 0) > 0;
      return;
    }
    const auto packet = looker.link.receive();
    if (packet && packet->empty()) return;
    if (!packet) {
      looker.gone = true;
    } else {
      take_packet(looker, packet->front(), packet->substr(1));
    }
  }
}

void Terminal::take_packet(Looker& looker, char letter, std::string_view text) {
  if (letter == 'A') {
    if (const auto request = meeting::decode_look(text); request && !looker.began) begin(looker, *request);
  } else if (letter == 'S') {
    if (const auto window = meeting::decode_window(text)) {
      looker.request.window = *window;
      if (&looker == writer_) fit_window(*window, false);
    }
  } else if (letter == 'I') {
    if (&looker == writer_) input_ += text;
  } else if (letter == 'T') {
    looker.request.writes = true;
    if (looker.began && &looker != writer_) let_write(looker);
  } else if (letter == 'L') {
    looker.left = true;
  }
}

void Terminal::begin(Looker& looker, const meeting::LookRequest& request) {
  looker.request = request;
  looker.began = true;
  seen_ = true;
  show_kept(looker);
  if (request.writes && writer_ == nullptr) {
    let_write(looker);
  } else {
    looker.link.send('R', "");
  }
}

void Terminal::let_write(Looker& looker) {
  if (writer_ != nullptr) writer_->link.send('R', "");
  writer_ = &looker;
  looker.link.send('W', "");
  fit_window(looker.request.window, modes_.alternate_screen());
}

void Terminal::type() {
  while (!input_.empty()) {
    const ssize_t n = ::write(pty_.master.get(), input_.data(), input_.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN) input_.clear();
    if (n <= 0) return;
    input_.erase(0, static_cast<std::size_t>(n));
  }
}

void Terminal::flush(Looker& looker) {
  if (looker.behind) {
    pollfd ready{looker.link.fd(), POLLOUT, 0};
    if (::poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0) return;
    show_kept(looker);
    looker.behind = false;
  }
  if (!looker.link.flush()) looker.gone = true;
}

// What one sent before he went still counts: that he left above all.
void Terminal::hear_out(Looker& looker) {
  for (auto packet = looker.link.receive(); packet && !packet->empty(); packet = looker.link.receive())
    take_packet(looker, packet->front(), packet->substr(1));
}

void Terminal::forget_gone() {
  for (auto at = lookers_.begin(); at != lookers_.end();) {
    if (!at->gone) {
      ++at;
      continue;
    }
    hear_out(*at);
    if (at->request.owns && !at->left) owner_gone_ = true;
    if (&*at == writer_) writer_ = nullptr;
    at = lookers_.erase(at);
  }
  if (writer_ != nullptr) return;
  const auto next = std::find_if(lookers_.begin(), lookers_.end(),
                                 [](const Looker& looker) { return looker.began && looker.request.writes; });
  if (next == lookers_.end()) return;
  let_write(*next);
  flush(*next);
}

void Terminal::fit_window(process::WindowSize window, bool redraw) {
  const bool same = window == window_;
  window_ = window;
  if (same && redraw && window.rows > 1) {
    process::resize(pty_.master, {static_cast<std::uint16_t>(window.rows - 1), window.columns});
    redraw_at_ = clock_.boot_time() + kRedraw_s;
  } else {
    redraw_at_.reset();
    process::resize(pty_.master, window);
  }
}

void Terminal::show_kept(Looker& looker) {
  if (cut_) {
    if (const std::string modes = modes_.enter_text(); !modes.empty()) looker.link.send('O', modes);
  }
  if (cut_ || looker.behind) looker.link.send('P', std::to_string(shown_ - scrollback_.size()));
  if (!scrollback_.empty()) looker.link.send('O', scrollback_);
}

}  // namespace fq::shell
