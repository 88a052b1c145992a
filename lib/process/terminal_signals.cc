#include "process/terminal_signals.h"

#include <cerrno>
#include <initializer_list>

#include <sys/signalfd.h>
#include <unistd.h>

#include "base/error.h"

namespace fq::process {

TerminalSignals::TerminalSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH})
    sigaddset(&set, number);
  fd_.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_.valid()) throw system_error("cannot wait for signals", errno);
  ::pthread_sigmask(SIG_BLOCK, &set, &previous_);
}

TerminalSignals::~TerminalSignals() {
  while (take() != 0) {
  }
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
