#include "process/connected_child.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
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

struct HangUpWatch::Thread {
  int socket = -1;
  std::atomic<bool> busy = false;
  UniqueFd over_read, over_write;
  pthread_t id{};

  static void* run(void* argument) {
    const auto* self = static_cast<const Thread*>(argument);
    pollfd fds[] = {{self->socket, POLLRDHUP, 0}, {self->over_read.get(), POLLIN, 0}};
    while (::poll(fds, 2, -1) < 0 && errno == EINTR) {
    }
    // One that is not busy sees it by itself, or becomes busy once more.
    constexpr int kLookAgain_ms = 100;
    while (fds[1].revents == 0) {
      if (self->busy) {
        ::kill(::getpid(), SIGHUP);
        return nullptr;
      }
      ::poll(&fds[1], 1, kLookAgain_ms);
    }
    return nullptr;
  }
};

HangUpWatch::HangUpWatch(int socket) : thread_(std::make_unique<Thread>()) {
  thread_->socket = socket;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("cannot make a pipe", errno);
  thread_->over_read.reset(ends[0]);
  thread_->over_write.reset(ends[1]);
  // Signals are for the threads that work.
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failure = ::pthread_create(&thread_->id, nullptr, &Thread::run, thread_.get());
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failure != 0) throw system_error("cannot start a thread", failure);
}

HangUpWatch::~HangUpWatch() {
  thread_->over_write.reset();
  ::pthread_join(thread_->id, nullptr);
}

void HangUpWatch::set_busy(bool busy) {
  thread_->busy = busy;
}

}  // namespace fq::process
