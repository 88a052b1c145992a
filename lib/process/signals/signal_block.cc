#include "process/signals/signal_block.h"

#include <initializer_list>

namespace fq::process {

SignalBlock::SignalBlock(UserSignals which) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTSTP, SIGTTIN, SIGTTOU}) sigaddset(&set, number);
  if (which == UserSignals::all) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  }
  ::pthread_sigmask(SIG_BLOCK, &set, &previous_);
}

SignalBlock::~SignalBlock() {
  ::pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

void ignore_file_size_signal() {
  ::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace fq::process
