#include "door/frame.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include <poll.h>
#include <sys/socket.h>

#include "process/signals/last_words.h"

namespace fq::door {
namespace {

constexpr std::size_t kHeader = 5;
constexpr std::size_t kFlushed = 65536;
constexpr int kPause_ms = 1000;  // of who is at it

// REQUIRES a whole header.
std::size_t text_size(std::string_view header) {
  std::size_t size = 0;
  for (std::size_t i = 1; i < kHeader; ++i) size = size << 8 | static_cast<unsigned char>(header[i]);
  return size;
}

}  // namespace

void FrameChannel::append(std::string& frames, char letter, std::string_view text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  frames += letter;
  for (int shift = 24; shift >= 0; shift -= 8) frames += static_cast<char>(size >> shift);
  frames += text;
}

std::optional<Frame> FrameChannel::decode(std::string_view bytes) {
  const std::size_t size = encoded_size(bytes);
  if (size == 0 || bytes.size() < size) return std::nullopt;
  return Frame{bytes.front(), bytes.substr(kHeader, size - kHeader)};
}

std::size_t FrameChannel::encoded_size(const Frame& frame) {
  return kHeader + frame.text.size();
}

std::size_t FrameChannel::encoded_size(std::string_view bytes) {
  return bytes.size() < kHeader ? 0 : kHeader + text_size(bytes);
}

std::string FrameChannel::encode(char letter, std::string_view text) {
  std::string frame;
  append(frame, letter, text);
  return frame;
}

void FrameChannel::send(char letter, std::string_view text) {
  if (text.size() > kMaxText) throw error(Kind::invalid, "{} bytes are too many at once", text.size());
  append(queued_, letter, text);
  if (queued_.size() >= kFlushed) flush();
}

void FrameChannel::send_at_once(char letter, std::string_view text) {
  append(queued_, letter, text);
  flush(MSG_DONTWAIT);
}

void FrameChannel::flush(int flags) {
  if (queued_.empty()) return;
  const process::Sending sending;
  std::string_view left = queued_;
  while (!left.empty()) {
    const ssize_t n = ::send(socket_.get(), left.data(), left.size(), flags | MSG_NOSIGNAL);
    if (n > 0) {
      left.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EINTR) {  // EAGAIN: the other end takes nothing, or not for longer than it may
      queued_.clear();
      throw Gone{};
    }
  }
  queued_.clear();
}

// The next bytes of what has begun are there, or the end.
void FrameChannel::await_more() {
  pollfd fd{socket_.get(), POLLIN, 0};
  if (!bounds_.patience_s || ::poll(&fd, 1, kPause_ms) != 0) return;
  const double patience_s = bounds_.patience_s();
  if (patience_s == 0) return;
  const double left_ms = std::min(patience_s * 1000 - kPause_ms, 1e9);
  if (::poll(&fd, 1, left_ms > 0 ? static_cast<int>(left_ms) : 0) == 0)
    throw error(Kind::refused, "a request was begun, and not gone on with for {:g} seconds", patience_s);
}

bool FrameChannel::fill(std::size_t size, Awaited awaited) {
  if (taken_ > 0 && (taken_ == read_.size() || read_.size() - taken_ < size)) {
    read_.erase(0, taken_);
    taken_ = 0;
    // What one large frame took is not kept for those to come.
    if (read_.capacity() > 2 * kLarge && size < kLarge) read_ = std::string{read_};
  }
  while (read_.size() - taken_ < size) {
    const std::size_t had = read_.size();
    if (had > taken_ || awaited == Awaited::at_once) await_more();
    const std::size_t wanted = std::max(kFlushed, size - (had - taken_));
    read_.resize(had + std::min(wanted, std::size_t{1} << 24));
    const ssize_t n = ::recv(socket_.get(), read_.data() + had, read_.size() - had, 0);
    const int reason = errno;
    read_.resize(had + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n > 0 || (n < 0 && reason == EINTR)) continue;
    if (n == 0 && had == taken_) return false;
    throw Gone{};
  }
  return true;
}

std::optional<Frame> FrameChannel::receive(std::size_t most, Awaited awaited) {
  flush();
  if (!fill(kHeader, awaited)) return std::nullopt;
  const std::size_t size = text_size(std::string_view{read_}.substr(taken_));
  if (size > most) throw error(Kind::invalid, "{} bytes are too many at once: at most {}", size, most);
  if (size > kLarge && bounds_.before_large) bounds_.before_large();
  // Once, and not by doubling: memory is taken as it is written to.
  if (size > kLarge) read_.reserve(taken_ + kHeader + size + kFlushed);
  if (!fill(kHeader + size, awaited)) return std::nullopt;
  const Frame frame{read_[taken_], std::string_view{read_}.substr(taken_ + kHeader, size)};
  taken_ += kHeader + size;
  return frame;
}

void FrameChannel::finish() noexcept {
  if (!socket_.valid()) return;
  ::shutdown(socket_.get(), SHUT_WR);
  char unwanted[4096];
  ssize_t n;
  while ((n = ::recv(socket_.get(), unwanted, sizeof unwanted, 0)) > 0 || (n < 0 && errno == EINTR)) {
  }
  socket_.reset();
}

bool FrameChannel::has_input() const {
  if (read_.size() - taken_ >= kHeader) return true;
  pollfd fd{socket_.get(), POLLIN, 0};
  return ::poll(&fd, 1, 0) == 1;
}

}  // namespace fq::door
