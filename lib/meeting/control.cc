#include "meeting/control.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "meeting/liveness.h"

namespace fq::meeting {
namespace {

// An order is a few bytes; a longer line is none, and its start is not kept.
constexpr std::size_t kMaxOrder = 256;
constexpr auto kEndOfTorn = " \n";
// Orders of so many bytes are written to a full disk; what its jobs write takes any other room.
constexpr off_t kRoom = 4096;
constexpr std::string_view kSignal = "signal", kEpilogSignal = "epilog-signal";

// Blocks behind the end of the file; its size stays. Not every file system has that.
bool keep_room(int fd) {
  return ::fallocate(fd, FALLOC_FL_KEEP_SIZE, ::lseek(fd, 0, SEEK_END), kRoom) == 0 ||
         (errno != ENOSPC && errno != EDQUOT);
}

}  // namespace

void prepare_control(const JobFiles& files, notation::JobId id, bool anew) {
  const std::string path = files.control(id);
  const UniqueFd fd = open_file(path, O_WRONLY | O_CREAT | O_NOFOLLOW | (anew ? O_TRUNC : 0));
  if (!keep_room(fd.get())) throw system_error("cannot write " + quote(path), errno);
}

std::optional<ControlOrder> decode_control(std::string_view line) {
  if (line == "cancel") return ControlCancel{};
  if (line == "preempt") return ControlPreempt{};
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view word = line.substr(0, space);
  const std::string value{line.substr(space + 1)};
  if (word == kSignal || word == kEpilogSignal) {
    const std::size_t end = std::min(value.find(' '), value.size());
    const auto number = parse_u64(value.substr(0, end));
    if (!number || *number < 1 || *number > 64) return std::nullopt;
    const int signal = static_cast<int>(*number);
    if (end == value.size())
      return word == kSignal ? ControlOrder{ControlSignal{signal}} : ControlEpilogSignal{signal};
    // What was cut has a space at its end.
    std::string ranks = value.substr(end + 1);
    if (word != kSignal || ranks.empty() || ranks.find(' ') != std::string::npos) return std::nullopt;
    return ControlSignal{signal, std::move(ranks)};
  }
  if (word == "expiration") {
    char* end = nullptr;
    const double time = std::strtod(value.c_str(), &end);
    if (value.empty() || *end != '\0' || !std::isfinite(time) || time < 0) return std::nullopt;
    return ControlExpiration{time};
  }
  return std::nullopt;
}

std::string encode_control(const ControlOrder& order) {
  if (const auto* signal = std::get_if<ControlSignal>(&order))
    return fmt::format("{} {}{}{}\n", kSignal, signal->number, signal->ranks.empty() ? "" : " ",
                       signal->ranks);
  if (const auto* signal = std::get_if<ControlEpilogSignal>(&order))
    return fmt::format("{} {}\n", kEpilogSignal, signal->number);
  if (const auto* expiration = std::get_if<ControlExpiration>(&order)) {
    return fmt::format("expiration {:.6f}\n", expiration->time);
  }
  return std::holds_alternative<ControlPreempt>(order) ? "preempt\n" : "cancel\n";
}

bool write_control(const JobFiles& files, notation::JobId id, const ControlOrder& order) {
  const std::string path = files.control(id);
  const auto open_control = [&path] {
    return UniqueFd{::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
  };
  UniqueFd fd = open_control();
  if (!fd.valid() && errno == ENOENT) {
    // The starter holds the lock from before its commit on, and makes the directory after it.
    if (!shell_alive(files, id)) return false;
    files.create_guest(id);
    fd = open_control();
  }
  if (!fd.valid()) throw system_error("cannot open " + quote(path), errno);
  write_all(fd.get(), kEndOfTorn + encode_control(order), path);
  static_cast<void>(keep_room(fd.get()));
  continue_shell(files, id);
  return true;
}

ControlReader::ControlReader(const JobFiles& files, notation::JobId id)
    : fd_(open_file(files.control(id), O_RDONLY | O_CREAT)) {}

std::vector<ControlOrder> ControlReader::read() {
  std::vector<ControlOrder> orders;
  char buffer[4096];
  for (;;) {
    const ssize_t n = ::read(fd_.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return orders;
    rest_.append(buffer, static_cast<std::size_t>(n));
    std::size_t begin = 0;
    for (std::size_t end; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1) {
      if (auto order = decode_control(std::string_view{rest_}.substr(begin, end - begin)))
        orders.push_back(*order);
    }
    rest_.erase(0, begin);
    if (rest_.size() > kMaxOrder) rest_.resize(kMaxOrder);
  }
}

namespace {

// The orders given so far, a newline before each.
std::string all_orders(const JobFiles& files, notation::JobId id) {
  return "\n" + read_file_if_exists(files.control(id)).value_or("");
}

}  // namespace

bool cancel_ordered(const JobFiles& files, notation::JobId id) {
  return all_orders(files, id).find("\n" + encode_control(ControlCancel{})) != std::string::npos;
}

bool preempt_ordered(const JobFiles& files, notation::JobId id) {
  return all_orders(files, id).find("\n" + encode_control(ControlPreempt{})) != std::string::npos;
}

bool expiration_ordered(const JobFiles& files, notation::JobId id, double time) {
  const std::string orders = all_orders(files, id);
  const std::size_t last = orders.rfind("\nexpiration ");
  return last != std::string::npos && orders.compare(last + 1, encode_control(ControlExpiration{time}).size(),
                                                     encode_control(ControlExpiration{time})) == 0;
}

}  // namespace fq::meeting
