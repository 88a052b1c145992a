#include "cli/follow/input_feed.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include <sys/stat.h>
#include <unistd.h>

namespace fq::cli {

bool InputFeed::is_given_file() {
  struct stat file {};
  return ::fstat(STDIN_FILENO, &file) == 0 && S_ISREG(file.st_mode) && file.st_size > 0 &&
         ::lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
}

void InputFeed::begin(const door::Door& door, notation::JobId id, std::uint32_t ntasks,
                      const std::optional<notation::Idset>& ranks) {
  const notation::Idset all = notation::Idset::from_range(0, std::max(ntasks, 1U) - 1);
  const notation::Idset& wanted = ranks ? *ranks : all;
  input_ = door.input(id, wanted, all.subtract(wanted));
}

bool InputFeed::forward() {
  std::array<char, 65536> buffer{};
  const ssize_t n = ::read(STDIN_FILENO, buffer.data(), buffer.size());
  if (n < 0 && errno == EINTR) return true;
  if (n > 0) {
    unwritten_.append(buffer.data(), static_cast<std::size_t>(n));
    const std::size_t line_end = unwritten_.rfind('\n') + 1;
    const bool whole = unbuffered_ || unwritten_.size() >= buffer.size();
    write(whole ? unwritten_.size() : line_end);
    return true;
  }
  write(unwritten_.size());
  input_->close();
  stop();
  return false;
}

void InputFeed::stop() {
  input_.reset();
  over_ = true;
}

// The first `size` bytes that have come.
void InputFeed::write(std::size_t size) {
  if (size > 0) input_->write(std::string_view{unwritten_}.substr(0, size));
  unwritten_.erase(0, size);
}

}  // namespace fq::cli
