#include "process/start/pty.h"

#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/error.h"

namespace fq::process {

Pty make_pty(WindowSize size, Echo echo) {
  Pty pty;
  pty.master.reset(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!pty.master.valid()) throw system_error("cannot make a terminal", errno);
  int unlock = 0;
  if (::ioctl(pty.master.get(), TIOCSPTLCK, &unlock) != 0)
    throw system_error("cannot make a terminal", errno);
  pty.slave.reset(::ioctl(pty.master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!pty.slave.valid()) throw system_error("cannot open a terminal", errno);
  ::fcntl(pty.master.get(), F_SETFL, O_RDWR | O_NONBLOCK);
  resize(pty.master, size);
  termios settings{};
  if (echo == Echo::off && ::tcgetattr(pty.slave.get(), &settings) == 0) {
    settings.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL);
    ::tcsetattr(pty.slave.get(), TCSANOW, &settings);
  }
  return pty;
}

void resize(const UniqueFd& pty, WindowSize size) {
  winsize window{};
  window.ws_row = size.rows;
  window.ws_col = size.columns;
  ::ioctl(pty.get(), TIOCSWINSZ, &window);
}

std::optional<WindowSize> window_size(int fd) {
  winsize window{};
  if (::ioctl(fd, TIOCGWINSZ, &window) != 0 || window.ws_row == 0 || window.ws_col == 0) return std::nullopt;
  return WindowSize{window.ws_row, window.ws_col};
}

}  // namespace fq::process
