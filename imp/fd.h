// A descriptor that is closed with its owner, and what went wrong with one.

#pragma once

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include <unistd.h>

namespace fq::imp {

class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~Fd() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  void reset(int fd = -1) {
    if (valid()) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_;
};

/// What the machine could not do now: nothing of a job has run, and it may be tried again.
class Failed : public std::runtime_error {
 public:
  explicit Failed(const std::string& what, int code = errno)
      : runtime_error(what + ": " + std::strerror(code)) {}
};

}  // namespace fq::imp
