#include "process/start/side_by_side.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "process/start/read_available.h"
#include "process/tree/process_id.h"

namespace fq::process {

namespace {

constexpr std::size_t kReadSize = 65536;
constexpr double kTwice_s = 1;  // interrupts that come so soon after each other kill
constexpr int kLook_ms = 1000;  // where there is no pidfd

class Run {
 public:
  Run(SideBySide&& run, InterruptCounter& interrupts, const Clock& clock)
      : run_(std::move(run)), interrupts_(interrupts), clock_(clock) {}

  std::vector<int> finish() {
    // Who does not read to the end ends its pipe, not this process.
    struct sigaction ignored {};
    ignored.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignored, nullptr);
    start();
    while (running_ > 0) {
      wait();
      pass_on_interrupts();
      feed();
      for (std::size_t i = 0; i < commands_.size(); ++i) look_at(i);
    }
    return std::move(statuses_);
  }

 private:
  struct Command {
    StartedTask task;
    UniqueFd pidfd, input;
    std::string unread;  ///< of its input
    bool exited = false;
  };

  void start() {
    const bool alone = run_.commands.size() == 1;
    commands_.resize(run_.commands.size());
    std::vector<UniqueFd> inputs(run_.commands.size());
    for (std::size_t i = 0; i < run_.commands.size(); ++i) {
      TaskCommand& command = run_.commands[i];
      command.rank = static_cast<std::uint32_t>(i);
      command.stdin_path = "/dev/null";
      if (!run_.reads_input) continue;
      if (alone) {
        command.stdin_fd = STDIN_FILENO;
        command.new_process_group = ::isatty(STDIN_FILENO) != 1;
        continue;
      }
      int ends[2];
      if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("cannot make a pipe", errno);
      inputs[i].reset(ends[0]);
      commands_[i].input.reset(ends[1]);
      ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
      command.stdin_fd = ends[0];
    }
    passes_on_ = !alone || run_.commands.front().new_process_group;
    feeds_ = run_.reads_input && !alone;
    std::vector<StartedTask> started = start_tasks(run_.commands, [](const auto& /*started*/) {});
    statuses_.resize(started.size());
    for (std::size_t i = 0; i < started.size(); ++i) {
      commands_[i].task = std::move(started[i]);
      commands_[i].pidfd = open_process({commands_[i].task.pid, commands_[i].task.start_time});
    }
    running_ = commands_.size();
  }

  void wait() {
    std::vector<pollfd> fds;
    bool waits_for_readers = false;
    for (const Command& command : commands_) {
      fds.push_back({command.task.out.get(), POLLIN, 0});
      fds.push_back({command.task.err.get(), POLLIN, 0});
      if (!command.exited) fds.push_back({command.pidfd.get(), POLLIN, 0});
      if (command.unread.empty()) continue;
      waits_for_readers = true;
      fds.push_back({command.input.get(), POLLOUT, 0});
    }
    if (feeds_ && !waits_for_readers) fds.push_back({STDIN_FILENO, POLLIN, 0});
    ::poll(fds.data(), fds.size(), kLook_ms);
  }

  void pass_on_interrupts() {
    int count = interrupts_.take();
    if (count == 0) return;
    const double now = clock_.boot_time();
    if (now - last_interrupt_ < kTwice_s) ++count;
    last_interrupt_ = now;
    if (!passes_on_ && count < 2) return;
    for (const Command& command : commands_) {
      if (command.exited) continue;
      const int signal = count > 1 ? SIGKILL : SIGINT;
      if (!passes_on_ || ::kill(-command.task.pid, signal) != 0) send_signal(command.pidfd, signal);
    }
  }

  void feed() {
    for (Command& command : commands_) push(command);
    const bool waits =
        std::ranges::any_of(commands_, [](const Command& each) { return !each.unread.empty(); });
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (!feeds_ || waits || ::poll(&input, 1, 0) <= 0) return;
    char buffer[kReadSize];
    const ssize_t n = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    feeds_ = n > 0;
    for (Command& command : commands_) {
      if (n > 0 && command.input.valid()) command.unread.assign(buffer, static_cast<std::size_t>(n));
      push(command);
    }
  }

  void push(Command& command) const {
    if (!command.input.valid()) return;
    if (!command.unread.empty()) {
      const ssize_t n = ::write(command.input.get(), command.unread.data(), command.unread.size());
      if (n > 0) command.unread.erase(0, static_cast<std::size_t>(n));
      if (n < 0 && errno != EAGAIN && errno != EINTR) {
        command.unread.clear();
        command.input.reset();
      }
    }
    if (command.unread.empty() && !feeds_) command.input.reset();
  }

  void look_at(std::size_t i) {
    Command& command = commands_[i];
    read(i, command.task.out, false);
    read(i, command.task.err, true);
    int status = 0;
    if (command.exited || ::waitpid(command.task.pid, &status, WNOHANG) != command.task.pid) return;
    command.exited = true;
    statuses_[i] = status;
    --running_;
    command.unread.clear();
    command.input.reset();
    read(i, command.task.out, false);
    read(i, command.task.err, true);
    bool pending = false;
    if (const auto reason = start_failure(command.task.failed, pending))
      run_.not_run(i, why_not_run(run_.commands[i], *reason));
  }

  void read(std::size_t i, UniqueFd& fd, bool is_error) const {
    read_available(fd, [&](std::string_view bytes) { run_.write(i, is_error, bytes); });
  }

  SideBySide run_;
  InterruptCounter& interrupts_;
  const Clock& clock_;
  std::vector<Command> commands_;
  std::vector<int> statuses_;
  std::size_t running_ = 0;
  bool feeds_ = false, passes_on_ = true;
  double last_interrupt_ = -kTwice_s;
};

}  // namespace

std::vector<int> run_side_by_side(SideBySide run, InterruptCounter& interrupts, const Clock& clock) {
  return Run(std::move(run), interrupts, clock).finish();
}

}  // namespace fq::process
