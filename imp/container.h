// The processes of a job: a pid and mount namespace, whose first process is root's and ends with fq-imp, and
// in it the user's half of the shell.

#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "caller.h"
#include "fd.h"

namespace fq::imp {

class Container {
 public:
  /// Makes the namespace, in which the device files `hidden` cannot be opened; nothing of the user runs yet.
  /// Throws Failed.
  Container(const User& user, std::vector<std::string> environment, const Fd& job,
            const std::vector<std::string>& hidden);

  [[nodiscard]] pid_t first() const { return first_; }
  /// Runs the user's half as the user, with the caller's descriptors 0 and 1, and `job` as 3. Throws Failed
  /// where it could not be executed.
  void start();
  /// Waits until no process is left; who reads descriptor 1 being gone ends them. Returns the wait status of
  /// the user's half as a shell tells it: its exit code, or 128 and the signal.
  int wait();

 private:
  [[noreturn]] void run_first(const User& user, const std::vector<std::string>& environment, const Fd& job);
  [[noreturn]] void run_user(const User& user, const std::vector<std::string>& environment, const Fd& job);
  [[noreturn]] void tell_and_exit(const std::string& what);

  pid_t first_ = 0;
  Fd told_;  ///< what the processes tell: a letter when the first is ready, then why the user's half is not
             ///< run
  Fd go_;
  Fd tell_;
  Fd gone_;
};

}  // namespace fq::imp
