#include "cli/text_source.h"

#include <array>
#include <cerrno>

#include <poll.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

namespace fq::cli {

namespace {

std::string read_standard_input() {
  std::string text;
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t n = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (n == 0) return text;
    if (n > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {  // a pipe that another process made non-blocking
      pollfd ready{STDIN_FILENO, POLLIN, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      throw system_error("standard input", errno);
    }
  }
}

}  // namespace

TextSource TextSource::of_process() {
  return {[](const std::string& path) { return fq::read_file(path); }, read_standard_input};
}

}  // namespace fq::cli
