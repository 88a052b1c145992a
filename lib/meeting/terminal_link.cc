#include "meeting/terminal_link.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace fq::meeting {
namespace {

constexpr auto kSocketName = "terminal";
constexpr int kBacklog = 128;

// The name of a socket may have 107 bytes and that of a store more, so that the directory is named by a
// descriptor.
struct Address {
  UniqueFd directory;
  sockaddr_un name{};

  Address(const JobFiles& files, notation::JobId id)
      : directory(::open(files.guest(id).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
    name.sun_family = AF_UNIX;
    const std::string path = fmt::format("/proc/self/fd/{}/{}", directory.get(), kSocketName);
    path.copy(name.sun_path, sizeof name.sun_path - 1);
  }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
};

UniqueFd make_socket() {
  UniqueFd socket{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  if (!socket.valid()) throw system_error("cannot make a socket", errno);
  return socket;
}

void append_length(std::string& to, std::size_t size) {
  for (int shift = 24; shift >= 0; shift -= 8) to += static_cast<char>(size >> shift);
}

std::optional<std::uint16_t> decode_size(std::string_view text) {
  const auto number = parse_u64(text);
  if (!number || *number == 0 || *number > UINT16_MAX) return std::nullopt;
  return static_cast<std::uint16_t>(*number);
}

}  // namespace

std::string encode_window(process::WindowSize window) {
  return fmt::format("{} {}", window.rows, window.columns);
}

std::optional<process::WindowSize> decode_window(std::string_view text) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto rows = decode_size(text.substr(0, space));
  const auto columns = decode_size(text.substr(space + 1));
  if (!rows || !columns) return std::nullopt;
  return process::WindowSize{*rows, *columns};
}

std::string encode_look(const LookRequest& look) {
  return fmt::format("{}{} {}", look.writes ? "w" : "", look.owns ? "o" : "", encode_window(look.window));
}

std::optional<LookRequest> decode_look(std::string_view text) {
  LookRequest look;
  const auto take = [&text](char letter) {
    const bool there = text.starts_with(letter);
    if (there) text.remove_prefix(1);
    return there;
  };
  look.writes = take('w');
  look.owns = take('o');
  if (!take(' ')) return std::nullopt;
  const auto window = decode_window(text);
  if (!window) return std::nullopt;
  look.window = *window;
  return look;
}

void TerminalLink::send(char letter, std::string_view text) {
  do {
    const std::string_view part = text.substr(0, kMaxPacket);
    text.remove_prefix(part.size());
    queue_.push_back(std::string(1, letter));
    if (streamed_) append_length(queue_.back(), part.size());
    queue_.back() += part;
    queued_ += queue_.back().size();
  } while (!text.empty());
}

bool TerminalLink::flush() {
  while (!queue_.empty()) {
    const std::string& packet = queue_.front();
    const ssize_t n =
        ::send(socket_.get(), packet.data() + sent_, packet.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN || errno == ENOBUFS;
    sent_ += static_cast<std::size_t>(n);
    if (sent_ < packet.size()) continue;
    sent_ = 0;
    queued_ -= packet.size();
    queue_.pop_front();
  }
  return true;
}

void TerminalLink::drop_queue() {
  // One that has begun to go is not broken off.
  queue_.resize(sent_ > 0 ? 1 : 0);
  queued_ = sent_ > 0 ? queue_.front().size() : 0;
}

std::optional<std::string_view> TerminalLink::receive() {
  return streamed_ ? receive_streamed() : receive_whole();
}

std::optional<std::string_view> TerminalLink::receive_streamed() {
  constexpr std::size_t kHeader = 5;
  stream_.erase(0, std::exchange(taken_, 0));
  for (;;) {
    if (stream_.size() >= kHeader) {
      std::size_t size = 0;
      for (std::size_t i = 1; i < kHeader; ++i) size = size << 8 | static_cast<unsigned char>(stream_[i]);
      if (size > kMaxPacket) return std::nullopt;
      if (stream_.size() >= kHeader + size) {
        taken_ = kHeader + size;
        packet_.assign(1, stream_[0]).append(stream_, kHeader, size);
        return packet_;
      }
    }
    char buffer[kMaxPacket];
    const ssize_t n = ::recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return std::string_view{};
    if (n <= 0) return std::nullopt;
    stream_.append(buffer, static_cast<std::size_t>(n));
  }
}

std::optional<std::string_view> TerminalLink::receive_whole() {
  packet_.resize(kMaxPacket + 1);
  ssize_t n;
  // An end that goes with packets unread is told of by ECONNRESET, once, before what it sent last.
  while ((n = ::recv(socket_.get(), packet_.data(), packet_.size(), MSG_DONTWAIT)) < 0 &&
         (errno == EINTR || errno == ECONNRESET)) {
  }
  if (n < 0 && errno == EAGAIN) return std::string_view{};
  if (n <= 0) return std::nullopt;
  return std::string_view{packet_}.substr(0, static_cast<std::size_t>(n));
}

void send_rest(TerminalLink& link, double until, double patience_s, const Clock& clock,
               const std::function<void()>& meanwhile) {
  constexpr double kMeanwhile_s = 0.01;
  std::size_t left = link.queued();
  double deadline = std::min(until, clock.boot_time() + patience_s);
  while (link.flush() && link.queued() > 0) {
    const double now = clock.boot_time();
    if (link.queued() < left) {
      left = link.queued();
      deadline = std::min(until, now + patience_s);
    }
    if (now >= deadline) return;
    const double wait = meanwhile ? std::min(deadline - now, kMeanwhile_s) : deadline - now;
    pollfd ready{link.fd(), POLLOUT, 0};
    ::poll(&ready, 1, static_cast<int>(wait * 1000) + 1);
    if (meanwhile) meanwhile();
  }
}

UniqueFd listen_for_lookers(const JobFiles& files, notation::JobId id) {
  UniqueFd socket = make_socket();
  remove_terminal_socket(files, id);
  const Address address(files, id);
  if (::bind(socket.get(), address.get(), sizeof address.name) != 0 ||
      ::fchmodat(address.directory.get(), kSocketName, 0600, 0) != 0 ||
      ::listen(socket.get(), kBacklog) != 0) {
    throw system_error(fmt::format("cannot open the job's terminal in {}", quote(files.guest(id))), errno);
  }
  return socket;
}

void remove_terminal_socket(const JobFiles& files, notation::JobId id) {
  ::unlink(fmt::format("{}/{}", files.guest(id), kSocketName).c_str());
}

void refuse_lookers(const UniqueFd& listening) {
  ::shutdown(listening.get(), SHUT_RD);
}

UniqueFd accept_looker(const UniqueFd& listening) {
  return UniqueFd{::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
}

std::optional<TerminalLink> connect_to_terminal(const JobFiles& files, notation::JobId id) {
  const Address address(files, id);
  if (!address.directory.valid()) return std::nullopt;
  UniqueFd socket = make_socket();
  // What stands in the way of it is looked at again by who waits: that it is not there yet, or full.
  if (::connect(socket.get(), address.get(), sizeof address.name) != 0) return std::nullopt;
  return TerminalLink{std::move(socket)};
}

}  // namespace fq::meeting
