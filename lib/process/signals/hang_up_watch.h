// What takes its time for who asked, and is not wanted any more when that one is gone.

#pragma once

#include <memory>

namespace fq::process {

/// Ends this process, as by SIGHUP, when the other end of a socket has gone while this one is busy: who asked
/// for something that takes its time wants it no more. Where the signal is blocked, that is when it no longer
/// is.
class HangUpWatch {
 public:
  /// The socket outlives this. Throws Error.
  explicit HangUpWatch(int socket);
  ~HangUpWatch();
  HangUpWatch(const HangUpWatch&) = delete;
  HangUpWatch& operator=(const HangUpWatch&) = delete;

  void set_busy(bool busy);

 private:
  struct Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace fq::process
