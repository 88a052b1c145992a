#include "shell/shell_signals.h"

#include <cerrno>

#include <sys/signalfd.h>

#include "base/error.h"

namespace fq::shell {

sigset_t block_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGTSTP})
    sigaddset(&set, number);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  return set;
}

UniqueFd watch_signals() {
  ::signal(SIGPIPE, SIG_IGN);
  const sigset_t set = block_signals();
  UniqueFd signals{::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)};
  if (!signals.valid()) throw system_error("cannot watch signals", errno);
  return signals;
}

}  // namespace fq::shell
