#include "process/signals/hang_up_watch.h"

#include <atomic>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include "base/error.h"
#include "base/unique_fd.h"

namespace fq::process {

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
