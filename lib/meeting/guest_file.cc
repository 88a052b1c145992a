#include "meeting/guest_file.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

namespace fq::meeting {

void GuestFile::try_open(const std::string& path) {
  if (fd_.valid()) return;
  fd_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  path_ = path;
}

std::string_view GuestFile::read_more() {
  constexpr std::size_t kBlock = 65536;
  if (!fd_.valid()) return {};
  buffer_.resize(kBlock);
  ssize_t n = 0;
  do {
    n = ::read(fd_.get(), buffer_.data(), buffer_.size());
  } while (n < 0 && errno == EINTR);
  if (n < 0) throw system_error("cannot read " + quote(path_), errno);
  return std::string_view{buffer_}.substr(0, static_cast<std::size_t>(n));
}

}  // namespace fq::meeting
