#include "cli/frame/output.h"

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/locale_text.h"
#include "cli/frame/own_names.h"

namespace fq::cli {
namespace {

[[noreturn]] void fail(int errno_value) {
  if (errno_value == EPIPE) throw OutputClosed{};
  throw system_error("standard output", errno_value);
}

}  // namespace

void print(std::string_view text) {
  if (std::fflush(stdout) != 0) fail(errno);
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {  // a pipe that another process made non-blocking
      pollfd ready{STDOUT_FILENO, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      fail(errno);
    }
  }
}

void print_line(std::string_view text) {
  print(printable(text) + '\n');
}

void say(std::string_view command, std::string_view text) {
  print_error(for_locale(fmt::format("{}: {}\n", command, printable(as_it_works(text)))));
}

void require_output() {
  // What is closed was filled with something that cannot be written to (run_tool).
  const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
  if (flags == -1 || (flags & O_ACCMODE) == O_RDONLY) fail(EBADF);
}

void print_error(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd ready{STDERR_FILENO, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return;
    }
  }
}

}  // namespace fq::cli
