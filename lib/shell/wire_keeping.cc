#include "shell/wire_keeping.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "meeting/liveness.h"
#include "meeting/tmpdir.h"
#include "process/machine/cpu_map.h"
#include "process/start/detach.h"
#include "process/start/find_program.h"

namespace fq::shell {
namespace {

// So much output waits for the keeper before no more is read from the tasks.
constexpr std::size_t kMostQueued = std::size_t{256} << 10;
// For those who look at the terminal, at the end.
constexpr double kLookerPatience_s = 5;
// For what others run in the job's instance: longer than tasks have to end (kill-timeout) if nobody says
// else.
constexpr double kInstancePatience_s = 30;

// In the namespace's own place, which goes with it, where there is one.
std::string make_own_directory(std::string_view purpose) {
  const std::string own = fmt::format("/run/user/{}", ::getuid());
  std::string path = fmt::format("{}/fq-{}-XXXXXX", ::access(own.c_str(), W_OK) == 0 ? own : "/tmp", purpose);
  if (::mkdtemp(path.data()) == nullptr) throw system_error("cannot make " + quote(path), errno);
  return path;
}

std::string stream_number(Stream stream) {
  return stream == Stream::out ? "0" : "1";
}

}  // namespace

void WireKeeping::receive_rules(meeting::LaunchPlan& launch) {
  Wire::Frame frame;
  while (!wire_.receive(frame)) {
    if (wire_.ended()) throw Error{Kind::unavailable, "the keeper is gone"};
    pollfd readable{wire_.in(), POLLIN, 0};
    ::poll(&readable, 1, -1);
  }
  if (frame.size() != 4 || frame[0] != "rules") throw Error{Kind::invalid, "the keeper gives no rules"};
  const auto signal = [](const std::string& text) {
    const auto number = parse_u64(text);
    if (!number || *number < 1 || *number > 64) throw Error{Kind::invalid, "the keeper names no signal"};
    return static_cast<int>(*number);
  };
  launch.term_signal = signal(frame[1]);
  launch.kill_grace_s = std::clamp(std::strtod(frame[2].c_str(), nullptr), 0.0, 1e9);
  launch.kill_signal = signal(frame[3]);
}

bool WireKeeping::open(std::uint32_t) {
  own_guest_ = make_own_directory("guest");
  return true;
}

void WireKeeping::post(const document::Event& event) {
  wire_.send({"event", document::encode_event(event)});
}

void WireKeeping::complete(const meeting::ShellOutcome& outcome) {
  // Those who look see the last of it before they are told of the end.
  const SystemClock clock;
  for (const double until = clock.boot_time() + kLookerPatience_s;
       relays_.size() > 0 && !gone_ && clock.boot_time() < until; pump()) {
    std::vector<pollfd> fds;
    watch(fds);
    ::poll(fds.data(), fds.size(), 100);
  }
  std::string exceptions;
  for (const document::Event& event : outcome.exceptions) document::append_event(exceptions, event);
  wire_.send({"end", std::to_string(outcome.status), exceptions});
  wire_.flush_all();
}

void WireKeeping::watch(std::vector<pollfd>& fds) const {
  if (!gone_) fds.push_back({wire_.in(), POLLIN, 0});
  if (wire_.queued() > 0) fds.push_back({wire_.out(), POLLOUT, 0});
  relays_.watch(fds);
  if (input_.valid() && !input_kept_.empty()) fds.push_back({input_.get(), POLLOUT, 0});
}

void WireKeeping::take_frames() {
  Wire::Frame frame;
  while (!gone_ && wire_.receive(frame)) {
    if (frame[0] == "order" && frame.size() == 2) {
      if (const auto order = meeting::decode_control(frame[1])) orders_.push_back(*order);
    } else if (frame[0] == "input" && frame.size() == 2) {
      input_kept_ += frame[1];
      taken_is_due_ = true;
    } else if (frame[0] == "look-begin" && frame.size() == 2) {
      look(frame[1]);
    } else {
      static_cast<void>(relays_.take(frame));
    }
  }
  if (!gone_ && wire_.ended()) {
    gone_ = true;
    orders_.emplace_back(meeting::ControlCancel{});
  }
}

void WireKeeping::look(const std::string& number) {
  const auto parsed = parse_u64(number);
  if (!parsed) return;
  auto link = terminal_files_ ? meeting::connect_to_terminal(*terminal_files_, terminal_id_) : std::nullopt;
  if (link) {
    relays_.add(*parsed, std::move(*link));
  } else {
    wire_.send({"look-end", number});
  }
}

void WireKeeping::pump() {
  take_frames();
  relays_.serve();
  wire_.flush();
}

std::vector<meeting::ControlOrder> WireKeeping::orders() {
  take_frames();
  relays_.serve();
  feed_input();
  return std::exchange(orders_, {});
}

void WireKeeping::feed_input() {
  if (!input_.valid()) return;  // it comes before the tasks do
  while (!input_kept_.empty()) {
    const ssize_t n = ::write(input_.get(), input_kept_.data(), input_kept_.size());
    if (n < 0 && errno == EAGAIN) return;
    input_kept_.erase(0, n < 0 ? input_kept_.size() : static_cast<std::size_t>(n));
  }
  if (std::exchange(taken_is_due_, false)) wire_.send({"taken"});
}

UniqueFd WireKeeping::input() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) throw system_error("cannot make a pipe", errno);
  input_.reset(ends[1]);
  return UniqueFd{ends[0]};
}

void WireKeeping::remove_places(const std::string& tmpdir, const std::string&) {
  if (!tmpdir.empty()) meeting::remove_job_tmpdir(tmpdir);
  std::error_code ignored;
  if (!own_guest_.empty()) std::filesystem::remove_all(own_guest_, ignored);
  if (terminal_files_) std::filesystem::remove_all(terminal_files_->store(), ignored);
}

void WireKeeping::end_instance(const std::string& instance) {
  try {
    const meeting::JobFiles files{instance};
    if (files.alive_ids().empty()) return;
    const std::vector<std::string> words{"fq-tick", "--store", instance, "--end"};
    if (process::run_and_wait(process::find_program("fq-tick"), words) != 0) return;
    meeting::await_no_shell(files, kInstancePatience_s);
  } catch (const Error&) {
    return;  // it is no store that others could use
  }
}

std::string WireKeeping::settle_own_guest() {
  if (own_guest_.empty()) return {};
  meeting::OwnGuest found = meeting::find_own_files(own_guest_);
  for (const meeting::OwnGuestFile& file : found.files) {
    const UniqueFd fd = meeting::open_regular(own_guest_ + "/" + file.name);
    if (fd.valid()) give_document(file, fd);
  }
  return std::move(found.left_out);
}

// As large as it was found, though it may grow.
void WireKeeping::give_document(const meeting::OwnGuestFile& file, const UniqueFd& fd) {
  std::string bytes;
  for (std::uint64_t left = file.size;;) {
    bytes.resize(std::min<std::uint64_t>(left, Wire::kMaxData));
    const ssize_t n = ::read(fd.get(), bytes.data(), bytes.size());
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (!bytes.empty() || left == file.size) wire_.send({"guest", file.name, bytes});
    left -= bytes.size();
    if (n <= 0 || left == 0) return;
    if (blocked()) wire_.flush_all();
  }
}

std::vector<notation::Idset> WireKeeping::cpu_map() {
  return process::read_cpu_map();
}

void WireKeeping::open_terminal(std::optional<Terminal>& terminal, notation::JobId id,
                                process::WindowSize window, const Clock& clock) {
  terminal_files_.emplace(make_own_directory("terminal"));
  terminal_id_ = id;
  terminal_files_->create_guest(id);
  terminal.emplace(*terminal_files_, id, window, clock, [this] { pump(); });
  wire_.send({"terminal"});
}

bool WireKeeping::write(std::uint32_t task, Stream stream, std::string_view bytes, std::uint64_t) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), Wire::kMaxData))) {
    wire_.send(
        {"data", std::to_string(task), stream_number(stream), std::string{bytes.substr(0, Wire::kMaxData)}});
  }
  return false;
}

void WireKeeping::close(std::uint32_t task, Stream stream) {
  wire_.send({"close", std::to_string(task), stream_number(stream)});
}

void WireKeeping::redirect(Stream stream, const notation::Idset& tasks, const std::string& path) {
  wire_.send({"redirect", stream_number(stream), tasks.encode(), path});
}

void WireKeeping::message(int level, std::string_view text) {
  wire_.send({"message", std::to_string(level), std::string{text}});
}

bool WireKeeping::blocked() const {
  return wire_.queued() > kMostQueued;
}

}  // namespace fq::shell
