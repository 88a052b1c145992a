// A process of a user who has no other rights than his own: to root no directory is closed.

#pragma once

#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace fq::test {

/// Whether `act` returns true in a process of such a user, to whom `directory` is given. Where this one is
/// not root's it is the same user's.
template <typename Act>
[[nodiscard]] bool as_nobody(const std::string& directory, Act act) {
  constexpr uid_t kNobody = 64123;
  const bool root = ::geteuid() == 0;
  if (root && ::chown(directory.c_str(), kNobody, kNobody) != 0) return false;
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (root && ::setuid(kNobody) != 0) ::_exit(2);
    ::_exit(act() ? 0 : 1);
  }
  int status = -1;
  return ::waitpid(pid, &status, 0) == pid && status == 0;
}

}  // namespace fq::test
