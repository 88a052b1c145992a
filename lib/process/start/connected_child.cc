#include "process/start/connected_child.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

namespace fq::process {

namespace {

struct Child {
  UniqueFd socket;
  pid_t pid;
};

// `errors` is its stderr.
Child start(const std::vector<std::string>& command, int errors) {
  int ends[2], failed[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw system_error("cannot make a socket", errno);
  UniqueFd ours(ends[0]), theirs(ends[1]);
  if (::pipe2(failed, O_CLOEXEC) != 0) throw system_error("cannot make a pipe", errno);
  UniqueFd failed_read(failed[0]), failed_write(failed[1]);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) throw system_error(fmt::format("cannot start {}", quote(command.front())), errno);
  if (pid == 0) {
    struct sigaction ignored {};
    ignored.sa_handler = SIG_IGN;
    ::sigaction(SIGINT, &ignored, nullptr);
    if (::dup2(theirs.get(), STDIN_FILENO) == STDIN_FILENO &&
        ::dup2(theirs.get(), STDOUT_FILENO) == STDOUT_FILENO &&
        ::dup2(errors, STDERR_FILENO) == STDERR_FILENO && ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
      ::execvp(arguments.front(), arguments.data());
    const int reason = errno;
    [[maybe_unused]] const ssize_t told = ::write(failed_write.get(), &reason, sizeof reason);
    ::_exit(127);
  }
  failed_write.reset();
  int reason = 0;
  ssize_t n;
  while ((n = ::read(failed_read.get(), &reason, sizeof reason)) < 0 && errno == EINTR) {
  }
  if (n == sizeof reason)
    throw error(Kind::unavailable, "cannot run {}: {}", quote(command.front()), std::strerror(reason));
  return {std::move(ours), pid};
}

// Takes what can be read; false at the end.
bool read_some(int fd, std::string& to) {
  char buffer[65536];
  const ssize_t n = ::read(fd, buffer, sizeof buffer);
  if (n > 0) to.append(buffer, static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

}  // namespace

UniqueFd start_connected(const std::vector<std::string>& command) {
  return start(command, STDERR_FILENO).socket;
}

Answer ask_program(const std::vector<std::string>& command, std::string_view input) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("cannot make a pipe", errno);
  UniqueFd errors(ends[0]), errors_end(ends[1]);
  const Child child = start(command, errors_end.get());
  errors_end.reset();
  Answer answer;
  bool writes = true, reads = true, reads_errors = true;
  while (reads || reads_errors) {
    if (writes && input.empty()) {
      ::shutdown(child.socket.get(), SHUT_WR);
      writes = false;
    }
    const auto wanted = static_cast<short>((reads ? POLLIN : 0) | (writes ? POLLOUT : 0));
    pollfd fds[] = {{reads || writes ? child.socket.get() : -1, wanted, 0},
                    {reads_errors ? errors.get() : -1, POLLIN, 0}};
    if (::poll(fds, 2, -1) < 0) continue;
    if ((fds[0].revents & POLLOUT) != 0 && writes) {
      const ssize_t n = ::send(child.socket.get(), input.data(), input.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n > 0) input.remove_prefix(static_cast<std::size_t>(n));
      // Who does not read it has its reasons, and says them.
      if (n < 0 && errno != EAGAIN && errno != EINTR) input = {};
    }
    if ((fds[0].revents & ~POLLOUT) != 0 && reads) {
      reads = read_some(child.socket.get(), answer.output);
      if (!reads) input = {};
    }
    if (fds[1].revents != 0) reads_errors = read_some(errors.get(), answer.errors);
  }
  int status = 0;
  while (::waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  answer.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return answer;
}

}  // namespace fq::process
