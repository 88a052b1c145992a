// Who called, and how this process gets rid of all that a caller can leave it.

#pragma once

#include <cstdint>
#include <string>

#include <sys/types.h>

namespace fq::imp {

struct Caller {
  uid_t uid;
  gid_t gid;
};

/// Whether this process is in a job's namespaces: those of other jobs must not be started here, nor looked
/// for. REQUIRES root's rights.
[[nodiscard]] bool is_within_job();

/// Drops environment, descriptors above 2, timers, signal dispositions and the signal mask of the caller; no
/// core is dumped and nobody may trace. Throws Refused unless this process has root's rights by its file, and
/// for what the caller has set and nobody can take back.
[[nodiscard]] Caller shed_caller();

/// Makes this process root's altogether, so that the caller can neither signal nor stop it, with the limits
/// and priorities of the system's first process, in a session and with a keyring of its own, with every
/// signal blocked and nothing set that a process hands on.
void become_root();

/// Gives root's rights up for good.
void become_caller(const Caller& caller);

/// Gives root's rights up and says a line on descriptor 2, which is what the caller made it; what cannot be
/// said is not.
void tell_caller(const Caller& caller, const std::string& line);

struct User {
  uid_t uid;
  gid_t gid;
  std::string name;
  std::string home;
  std::string shell;
};

/// The user that jobs may run as. Throws Refused for root, the batch system's own user, those of the system
/// (below UID_MIN) and numbers without a name.
[[nodiscard]] User look_up_user(uid_t uid);

/// Throws Refused unless the caller is the batch system's user.
void require_batch_user(const Caller& caller);

/// All of descriptor 0, or `size` bytes of it. Throws Refused where there are more than `most`, or fewer.
[[nodiscard]] std::string read_input(std::size_t most);
[[nodiscard]] std::string read_exactly(std::size_t size);
/// Writes all of it. Throws Failed.
void write_output(int fd, const std::string& bytes);

}  // namespace fq::imp
