#include "meeting/append_file.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace fq::meeting {

AppendFile::AppendFile(const std::string& path, bool truncate, mode_t mode)
    : path_(path),
      fd_(open_file(path, O_WRONLY | O_APPEND | O_CREAT | O_NOCTTY | O_NONBLOCK | (truncate ? O_TRUNC : 0),
                    mode)) {}

void AppendFile::append(std::string_view bytes) {
  if (torn_ && !bytes.empty()) kept_ = "\n";
  if (!bytes.empty()) torn_ = false;
  kept_.append(bytes);
  std::size_t done = 0;
  int failure = 0;
  while (done < kept_.size()) {
    const ssize_t n = ::write(fd_.get(), kept_.data() + done, kept_.size() - done);
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (n == 0 || errno != EINTR) {
      failure = n == 0 ? ENOSPC : errno;
      break;
    }
  }
  if (done > 0) mid_line_ = kept_[done - 1] != '\n';
  kept_.erase(0, done);
  if (failure == 0) return;
  out_of_space_ = failure == ENOSPC || failure == EDQUOT;
  if (!out_of_space_ && failure != EAGAIN) {
    kept_.clear();
    torn_ = mid_line_;
    throw system_error("cannot write " + quote(path_), failure);
  }
}

void AppendFile::drop_kept() {
  kept_.clear();
  if (!mid_line_) return;
  append("\n");
  kept_.clear();
}

bool AppendFile::reserve(std::uint64_t bytes) {
  struct stat info {};
  if (::fstat(fd_.get(), &info) != 0) return true;
  const int result = ::fallocate(fd_.get(), FALLOC_FL_KEEP_SIZE, info.st_size, static_cast<off_t>(bytes));
  return result == 0 || (errno != ENOSPC && errno != EDQUOT);
}

void AppendFile::sync() {
  if (::fdatasync(fd_.get()) != 0) throw system_error("cannot sync " + quote(path_), errno);
}

}  // namespace fq::meeting
