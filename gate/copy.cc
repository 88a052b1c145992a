#include "gate/copy.h"

#include <cerrno>
#include <csignal>
#include <string>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace fq::gate {
namespace {

constexpr std::size_t kMostHeld = 65536;
constexpr std::size_t kMostAtOnce = 4096;  // a pipe that can be written to takes so much

/// Bytes on their way.
class Stream {
 public:
  Stream(int from, int to) : from_(from), to_(to) {}

  [[nodiscard]] pollfd source() const {
    return {ended_ || held_.size() >= kMostHeld ? -1 : from_, POLLIN, 0};
  }
  [[nodiscard]] pollfd sink() const { return {held_.empty() ? -1 : to_, POLLOUT, 0}; }
  /// Whether all has come and was passed on.
  [[nodiscard]] bool is_over() const { return ended_ && held_.empty(); }

  void take() {
    char buffer[kMostHeld];
    const ssize_t size = ::read(from_, buffer, sizeof buffer);
    if (size > 0) held_.append(buffer, static_cast<std::size_t>(size));
    if (size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN)) ended_ = true;
  }
  /// Nobody takes it any more.
  void end() {
    ended_ = true;
    held_.clear();
  }
  /// False when nobody takes it.
  [[nodiscard]] bool give() {
    const std::size_t most = held_.size() < kMostAtOnce ? held_.size() : kMostAtOnce;
    ssize_t size = ::send(to_, held_.data(), most, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size < 0 && errno == ENOTSOCK) size = ::write(to_, held_.data(), most);
    if (size > 0) held_.erase(0, static_cast<std::size_t>(size));
    return size >= 0 || errno == EINTR || errno == EAGAIN;
  }

 private:
  int from_, to_;
  std::string held_;
  bool ended_ = false;
};

}  // namespace

void copy_until_over(int socket) {
  // Ctrl-C is the command's to answer; a reader that has gone is seen as an error.
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGPIPE, SIG_IGN);
  Stream asked(STDIN_FILENO, socket), answered(socket, STDOUT_FILENO);
  bool told_end = false, reader_gone = false;
  // What the command said before it went is passed on.
  while (reader_gone ? !asked.is_over() : !answered.is_over()) {
    pollfd fds[] = {asked.source(), asked.sink(), answered.source(), answered.sink()};
    // A standard output that is closed is noticed although there is nothing to write.
    if (fds[3].fd < 0) fds[3] = {STDOUT_FILENO, 0, 0};
    if (reader_gone) fds[2].fd = fds[3].fd = -1;
    if (::poll(fds, 4, -1) < 0 && errno != EINTR) return;
    if (fds[0].revents != 0) asked.take();
    if (fds[2].revents != 0) answered.take();
    // An engine that takes no more may have said why.
    if (fds[1].revents != 0 && !asked.give()) asked.end();
    if ((fds[3].revents & POLLOUT) != 0 && !answered.give()) reader_gone = true;
    if ((fds[3].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0 && (fds[3].revents & POLLOUT) == 0)
      reader_gone = true;
    if (asked.is_over() && !told_end) {
      ::shutdown(socket, SHUT_WR);
      told_end = true;
    }
  }
}

}  // namespace fq::gate
