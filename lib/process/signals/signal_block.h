// Holds off the signals with which a user stops or ends a command, while it holds what others wait for.

#pragma once

#include <csignal>

namespace fq::process {

/// What a user's signals may do to a process: stop it (TSTP, TTIN, TTOU), or also end it (INT, TERM, HUP).
enum class UserSignals { that_stop, all };

/// The signals are blocked in this thread while it lives; what came meanwhile is delivered at its end. May be
/// nested.
class SignalBlock {
 public:
  explicit SignalBlock(UserSignals which);
  ~SignalBlock();
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;

 private:
  sigset_t previous_{};
};

/// Makes writes past the limit on file sizes fail with EFBIG instead of ending this process. Programs that it
/// starts get the default again (start_detached).
void ignore_file_size_signal();

}  // namespace fq::process
