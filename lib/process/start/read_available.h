// Reading what a process has written so far.

#pragma once

#include <cerrno>
#include <cstddef>
#include <string_view>

#include <unistd.h>

#include "base/unique_fd.h"

namespace fq::process {

/// Gives `take` what can be read of a descriptor that does not block, in pieces, at most about as much as
/// stands in a pipe; closes it at its end.
template <typename Take>
void read_available(UniqueFd& fd, const Take& take) {
  constexpr int kMostPieces = 16;
  char buffer[65536];
  for (int i = 0; fd.valid() && i < kMostPieces; ++i) {
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n > 0) {
      take(std::string_view{buffer, static_cast<std::size_t>(n)});
    } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
      fd.reset();
    } else if (errno == EAGAIN) {
      return;
    }
  }
}

}  // namespace fq::process
