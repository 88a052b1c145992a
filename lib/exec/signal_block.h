// Holds off the signals with which a user stops or ends a command, while it holds what others wait for.

#pragma once

#include <csignal>

namespace fq::exec {

/// INT, TERM, HUP, TSTP, TTIN and TTOU are blocked in this thread while it lives; what came meanwhile is
/// delivered at its end. May be nested.
class SignalBlock {
 public:
  SignalBlock();
  ~SignalBlock();
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;

 private:
  sigset_t previous_{};
};

/// Makes writes past the limit on file sizes fail with EFBIG instead of ending this process. Programs that it
/// starts get the default again (start_detached).
void ignore_file_size_signal();

}  // namespace fq::exec
