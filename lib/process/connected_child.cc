#include "process/connected_child.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

namespace fq::process {

UniqueFd start_connected(const std::vector<std::string>& command) {
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
        ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
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
  return ours;
}

}  // namespace fq::process
