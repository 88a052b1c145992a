#include "process/signals/terminal_signals.h"

#include <atomic>
#include <cerrno>

#include <sys/signalfd.h>
#include <unistd.h>

#include "base/error.h"

namespace fq::process {
namespace {

std::atomic<pid_t> taker{0};  // the thread that takes signals
static_assert(std::atomic<pid_t>::is_always_lock_free, "used in a signal handler");

// The kernel gives a signal to any thread that lets it through, as those of the database do.
void pass_on(int number) {
  const int before = errno;
  ::tgkill(::getpid(), taker.load(std::memory_order_relaxed), number);
  errno = before;
}

}  // namespace

TerminalSignals::TerminalSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kTaken) sigaddset(&set, number);
  fd_.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_.valid()) throw system_error("cannot wait for signals", errno);
  ::pthread_sigmask(SIG_BLOCK, &set, &previous_);
  taker = ::gettid();
  struct sigaction action {};
  action.sa_handler = pass_on;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kTaken.size(); ++i) ::sigaction(kTaken[i], &action, &actions_[i]);
}

TerminalSignals::~TerminalSignals() {
  while (take() != 0) {
  }
  for (std::size_t i = 0; i < kTaken.size(); ++i) ::sigaction(kTaken[i], &actions_[i], nullptr);
  ::pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

int TerminalSignals::take() {
  signalfd_siginfo signal{};
  if (::read(fd_.get(), &signal, sizeof signal) != sizeof signal) return 0;
  return static_cast<int>(signal.ssi_signo);
}

void TerminalSignals::stop() {
  ::raise(SIGSTOP);
}

}  // namespace fq::process
