#include "shell/wire.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/error.h"
#include "signature/fields.h"
#include "signature/refused.h"

namespace fq::shell {
namespace {

constexpr std::size_t kMaxSizeDigits = 8;
constexpr std::size_t kReadSize = 65536;

void make_nonblocking(const UniqueFd& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

}  // namespace

Wire::Wire(UniqueFd in, UniqueFd out) : in_(std::move(in)), out_(std::move(out)) {
  make_nonblocking(in_);
  make_nonblocking(out_);
}

void Wire::send(const Frame& frame) {
  const std::string fields = signature::encode_fields(frame);
  send_bytes(std::to_string(fields.size()) + ":" + fields);
}

void Wire::send_bytes(std::string_view bytes) {
  queue_.append(bytes);
  flush();
}

bool Wire::flush() {
  while (queued() > 0) {
    const ssize_t n = broken_ ? -1 : ::write(out_.get(), queue_.data() + written_, queued());
    if (n >= 0) {
      written_ += static_cast<std::size_t>(n);
      continue;
    }
    if (!broken_ && errno == EINTR) continue;
    if (!broken_ && errno == EAGAIN) break;
    broken_ = true;
    written_ = queue_.size();
  }
  if (written_ == queue_.size() || written_ > kMaxFrame) queue_.erase(0, std::exchange(written_, 0));
  return queue_.empty();
}

void Wire::flush_all() {
  while (!flush()) {
    pollfd writable{out_.get(), POLLOUT, 0};
    ::poll(&writable, 1, -1);
  }
}

void Wire::read() {
  received_.erase(0, std::exchange(taken_, 0));
  char buffer[kReadSize];
  const ssize_t n = ended_ ? 0 : ::read(in_.get(), buffer, sizeof buffer);
  if (n > 0) received_.append(buffer, static_cast<std::size_t>(n));
  if (n == 0) ended_ = true;
}

bool Wire::receive(Frame& frame) {
  for (bool again = true;; again = false) {
    const std::string_view text = std::string_view{received_}.substr(taken_);
    const std::size_t colon = text.substr(0, kMaxSizeDigits + 1).find(':');
    try {
      if (colon == std::string_view::npos) {
        if (text.size() > kMaxSizeDigits) throw signature::Refused("a frame has no size");
      } else if (const std::size_t size =
                     signature::parse_number(text.substr(0, colon), "the size of a frame", kMaxFrame);
                 text.size() > colon + size) {
        const auto fields = signature::decode_fields(text.substr(colon + 1, size));
        if (fields.empty()) throw signature::Refused("a frame is empty");
        frame.assign(fields.begin(), fields.end());
        taken_ += colon + 1 + size;
        return true;
      }
    } catch (const signature::Refused& refused) {
      throw Error{Kind::invalid, refused.what()};
    }
    if (!again) {
      if (ended_) taken_ = received_.size();  // what was cut off is nothing
      return false;
    }
    read();
  }
}

}  // namespace fq::shell
