#include "process/start/child_channel.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"

namespace fq::process {

namespace {

constexpr std::size_t kMaxComplaint = 300;

double boot_seconds() {
  return SystemClock{}.boot_time();
}

// The files that a command may mean.
std::vector<std::string> program_files(const std::string& name) {
  if (name.find('/') != std::string::npos) return {name};
  const char* path = std::getenv("PATH");
  std::vector<std::string> files;
  for (const std::string_view directory :
       split(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin", ':')) {
    if (directory.starts_with('/')) files.push_back(fmt::format("{}/{}", directory, name));
  }
  return files;
}

// The one that can be run; else `why` says why none can.
std::string program_file(const std::string& name, std::string& why) {
  why = "there is no such program";
  for (const std::string& file : program_files(name)) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) continue;
    if (S_ISREG(status.st_mode) && ::access(file.c_str(), X_OK) == 0) {
      why.clear();
      return file;
    }
    why = S_ISREG(status.st_mode) ? "it is not executable" : "it is not a file";
  }
  return {};
}

void open_child_pipe(UniqueFd& read_end, UniqueFd& write_end) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("cannot make a pipe", errno);
  // Descriptors 0 to 2 are to become the program's: they must not be in the way.
  for (int& end : ends) {
    if (end > 2) continue;
    const int moved = ::fcntl(end, F_DUPFD_CLOEXEC, 3);
    ::close(end);
    end = moved;
  }
  read_end.reset(ends[0]);
  write_end.reset(ends[1]);
}

void make_non_blocking(const UniqueFd& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

// What the child does between fork and exec: system calls alone.
[[noreturn]] void become_program(const char* file, char* const* arguments, int in, int out, int err,
                                 int failed) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::dup2(in, 0) == 0 && ::dup2(out, 1) == 1 && ::dup2(err, 2) == 2) {
    if (::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) {
      for (int fd = 3; fd < 4096; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    ::execv(file, arguments);
  }
  const int reason = errno;
  [[maybe_unused]] const ssize_t told = ::write(failed, &reason, sizeof reason);
  ::_exit(127);
}

}  // namespace

std::string why_not_executable(const std::string& name) {
  std::string why;
  static_cast<void>(program_file(name, why));
  return why;
}

ChildChannel::ChildChannel(const std::vector<std::string>& command, double total_s)
    : deadline_(boot_seconds() + total_s) {
  std::string why;
  const std::string file = program_file(command.front(), why);
  if (!why.empty()) throw error(Kind::unavailable, "cannot run {}: {}", quote(command.front()), why);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  UniqueFd in, out, err, failed, failed_write;
  open_child_pipe(in, in_);
  open_child_pipe(out_, out);
  open_child_pipe(err_, err);
  open_child_pipe(failed, failed_write);
  pid_ = ::fork();
  if (pid_ < 0) throw system_error(fmt::format("cannot start {}", quote(command.front())), errno);
  if (pid_ == 0)
    become_program(file.c_str(), arguments.data(), in.get(), out.get(), err.get(), failed_write.get());
  ::setpgid(pid_, pid_);
  sigset_t pipe_signal;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe_signal, &before_);
  failed_write.reset();
  int reason = 0;
  ssize_t n;
  while ((n = ::read(failed.get(), &reason, sizeof reason)) < 0 && errno == EINTR) {
  }
  for (const UniqueFd* fd : {&in_, &out_, &err_}) make_non_blocking(*fd);
  if (n == sizeof reason) {
    reap(false);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    throw error(Kind::unavailable, "cannot run {}: {}", quote(command.front()), std::strerror(reason));
  }
}

ChildChannel::~ChildChannel() {
  // Its group too: it may have started others.
  ::kill(-pid_, SIGKILL);
  if (!status_) reap(true);
  // A write to a program that had closed its stdin left the signal pending.
  sigset_t pending;
  sigpending(&pending);
  if (sigismember(&before_, SIGPIPE) == 0 && sigismember(&pending, SIGPIPE) == 1) {
    sigset_t pipe_signal;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    const timespec now{};
    ::sigtimedwait(&pipe_signal, nullptr, &now);
  }
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void ChildChannel::reap(bool kill_first) {
  if (kill_first) ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  status_ = status;
}

double ChildChannel::until(double silence_s) {
  const double now = boot_seconds();
  if (now >= deadline_) throw Error{Kind::timeout, "it takes too long in all"};
  return std::min(now + silence_s, deadline_);
}

bool ChildChannel::wait_for_input(double until, bool writing) {
  const double left = until - boot_seconds();
  pollfd fds[3] = {{out_.get(), POLLIN, 0}, {err_.get(), POLLIN, 0}, {writing ? in_.get() : -1, POLLOUT, 0}};
  const int ready = ::poll(fds, 3, static_cast<int>(std::ceil(std::clamp(left, 0.0, 3600.0) * 1000)));
  if (ready < 0 && errno != EINTR) throw system_error("poll", errno);
  if (ready > 0 && fds[0].revents != 0) read_output();
  if (ready > 0 && fds[1].revents != 0) read_errors();
  return ready != 0 || left > 0;
}

void ChildChannel::read_output() {
  char buffer[65536];
  const ssize_t n = ::read(out_.get(), buffer, sizeof buffer);
  if (n == 0) out_.reset();
  if (n > 0) output_.append(buffer, static_cast<std::size_t>(n));
}

void ChildChannel::read_errors() {
  char buffer[4096];
  const ssize_t n = ::read(err_.get(), buffer, sizeof buffer);
  if (n == 0) err_.reset();
  if (n <= 0) return;
  errors_.append(buffer, static_cast<std::size_t>(n));
  // Enough for the last line, and for the line feed before it.
  if (errors_.size() > 2 * sizeof buffer) errors_.erase(0, errors_.size() - sizeof buffer);
}

void ChildChannel::send_line(std::string_view line, double silence_s) {
  const std::string text = fmt::format("{}\n", line);
  std::string_view left = text;
  double end = until(silence_s);
  while (!left.empty()) {
    const ssize_t n = ::write(in_.get(), left.data(), left.size());
    if (n > 0) {
      left.remove_prefix(static_cast<std::size_t>(n));
      end = until(silence_s);
    } else if (errno == EAGAIN) {
      if (output_.size() > 4 * kMaxLine) throw Error{Kind::unavailable, "it says more than it is asked"};
      if (!wait_for_input(end, true)) throw error(Kind::timeout, "it reads nothing for {} s", silence_s);
    } else if (errno != EINTR) {
      const std::string how = how_it_ended(silence_s);
      throw error(Kind::unavailable, "{}", how.empty() || errno != EPIPE ? "it has closed its input" : how);
    }
  }
}

std::optional<std::string> ChildChannel::receive_line(double silence_s) {
  const double end = until(silence_s);
  for (;;) {
    const std::size_t at = output_.find('\n', searched_);
    if (at != std::string::npos) {
      std::string line = output_.substr(0, at);
      output_.erase(0, at + 1);
      searched_ = 0;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      return line;
    }
    searched_ = output_.size();
    if (output_.size() > kMaxLine) throw Error{Kind::unavailable, "it writes a line that does not end"};
    if (!out_.valid()) {
      if (output_.empty()) return std::nullopt;
      throw error(Kind::unavailable, "it ended within a line: {}", quote_cut(output_));
    }
    if (!wait_for_input(end, false)) throw error(Kind::timeout, "it says nothing for {} s", silence_s);
  }
}

void ChildChannel::close_input() {
  in_.reset();
}

std::string ChildChannel::how_it_ended(double silence_s) {
  const double end = boot_seconds() + silence_s;
  while (!status_) {
    int status = 0;
    const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
    if (ended == pid_) {
      status_ = status;
    } else if (boot_seconds() >= end) {
      reap(true);
      return "it does not end";
    } else if (!err_.valid() || !wait_for_input(std::min(end, boot_seconds() + 0.01), false)) {
      pause_for(0.002);
    }
  }
  if (WIFSIGNALED(*status_)) return fmt::format("signal {} ended it", WTERMSIG(*status_));
  if (WEXITSTATUS(*status_) != 0) return fmt::format("it exited with {}", WEXITSTATUS(*status_));
  return {};
}

std::string ChildChannel::last_complaint() {
  // What is there now; nobody waits for more, or reads for ever.
  constexpr int kMostReads = 1000;
  for (int reads = 0; reads < kMostReads && err_.valid(); ++reads) {
    pollfd fd{err_.get(), POLLIN, 0};
    if (::poll(&fd, 1, 0) <= 0) break;
    read_errors();
  }
  std::string_view text = trim(errors_);
  if (const std::size_t at = text.rfind('\n'); at != std::string_view::npos) text.remove_prefix(at + 1);
  return std::string{text.substr(0, kMaxComplaint)};
}

}  // namespace fq::process
