#include "shell/input.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "process/start/pty.h"

namespace fq::shell {
namespace {

// A line is one event; what an attached command writes at once is far less.
constexpr std::size_t kMaxInputLine = 16U << 20;

}  // namespace

InputFeeder::InputFeeder(UniqueFd log, std::uint32_t ntasks) : log_(std::move(log)), targets_(ntasks) {}

UniqueFd InputFeeder::open_pipe(std::uint32_t task) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("cannot make a pipe", errno);
  targets_[task].pipe.reset(ends[1]);
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  return UniqueFd{ends[0]};
}

void InputFeeder::type_on(std::uint32_t task, UniqueFd master) {
  targets_[task].pipe = std::move(master);
  targets_[task].typed = true;
}

void InputFeeder::feed() {
  std::string line;
  while (write_pending() && read_line(line)) {
    try {
      const auto item = decoder_.decode(document::decode_event(line));
      if (const auto* chunk = std::get_if<document::OutputChunk>(&item)) deliver(*chunk);
    } catch (const Error&) {
      continue;  // not an event of RFC 24: nobody's input
    }
  }
}

void InputFeeder::deliver(const document::OutputChunk& chunk) {
  if (chunk.stream != "stdin") return;
  for (std::size_t task = 0; task < targets_.size(); ++task) {
    Target& target = targets_[task];
    if (!target.pipe.valid() || !chunk.ranks.contains(static_cast<std::uint32_t>(task))) continue;
    target.pending += chunk.data;
    if (!chunk.data.empty()) target.within_line = chunk.data.back() != '\n';
    // After a part of a line the first hands that on.
    if (chunk.eof && target.typed) target.pending.append(target.within_line ? 2 : 1, process::kEndOfInput);
    target.end = target.end || chunk.eof;
  }
}

bool InputFeeder::write_pending() {
  bool all = true;
  for (Target& target : targets_) {
    while (target.pipe.valid() && !target.pending.empty()) {
      const ssize_t n = ::write(target.pipe.get(), target.pending.data(), target.pending.size());
      if (n >= 0) {
        target.pending.erase(0, static_cast<std::size_t>(n));
      } else if (errno == EAGAIN) {
        all = false;
        break;
      } else if (errno != EINTR) {
        target.pipe.reset();  // the task reads no more
      }
    }
    if (!target.pipe.valid()) target.pending.clear();
    if (target.pending.empty() && target.end) target.pipe.reset();
  }
  return all;
}

bool InputFeeder::read_line(std::string& line) {
  std::size_t end;
  while ((end = unread_.find('\n')) == std::string::npos) {
    char buffer[65536];
    const ssize_t n = ::read(log_.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0 || unread_.size() > kMaxInputLine) return false;
    unread_.append(buffer, static_cast<std::size_t>(n));
  }
  line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  return true;
}

std::vector<int> InputFeeder::full_pipes() const {
  std::vector<int> full;
  for (const Target& target : targets_) {
    if (target.pipe.valid() && !target.pending.empty()) full.push_back(target.pipe.get());
  }
  return full;
}

void InputFeeder::close(std::uint32_t task) {
  targets_[task].pipe.reset();
  targets_[task].pending.clear();
}

}  // namespace fq::shell
