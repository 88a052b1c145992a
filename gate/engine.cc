#include "gate/engine.h"

#include <csignal>
#include <string>

#include <fcntl.h>
#include <grp.h>
#include <linux/magic.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "signature/refused.h"

namespace fq::gate {

using imp::Failed;
using imp::Fd;
using signature::Refused;

namespace {

// Where the caller's control groups have no say: what freezes these freezes no engine. Where there are no
// groups of version 2, there is nothing to leave.
void leave_callers_cgroup() {
  for (const std::string root : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    struct statfs info {};
    if (::statfs(root.c_str(), &info) != 0 || info.f_type != CGROUP2_SUPER_MAGIC) continue;
    const std::string path = root + "/fq-engine";
    ::mkdir(path.c_str(), 0755);
    const Fd members{::open((path + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC)};
    if (members.valid() && ::write(members.get(), "0", 1) == 1) return;
  }
}

[[noreturn]] void become_engine(const imp::Caller& caller, const passwd& user, int socket) {
  try {
    imp::become_root();
  } catch (const std::exception&) {
    ::_exit(1);
  }
  leave_callers_cgroup();
  const int null = ::open("/dev/null", O_WRONLY);
  if (null < 0 || ::dup2(null, STDERR_FILENO) < 0 || ::dup2(socket, STDIN_FILENO) < 0 ||
      ::dup2(socket, STDOUT_FILENO) < 0 || ::close_range(3, ~0U, 0) != 0 ||
      ::initgroups(user.pw_name, user.pw_gid) != 0 ||
      ::setresgid(user.pw_gid, user.pw_gid, user.pw_gid) != 0 ||
      ::setresuid(user.pw_uid, user.pw_uid, user.pw_uid) != 0)
    ::_exit(1);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const std::string uid = std::to_string(caller.uid), gid = std::to_string(caller.gid);
  const char* arguments[] = {"fq-engine", "--store",      FQ_SYSTEM_STORE, "--user",
                             uid.c_str(), "--user-group", gid.c_str(),     nullptr};
  const char* environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", nullptr};
  ::execve(FQ_LIBEXEC "/fq-engine", const_cast<char* const*>(arguments),
           const_cast<char* const*>(environment));
  ::_exit(1);
}

}  // namespace

Fd start_engine(const imp::Caller& caller) {
  const passwd* user = ::getpwnam(FQ_USER);
  if (user == nullptr) throw Refused("there is no user '" FQ_USER "', whose store it opens");
  if (user->pw_uid == 0) throw Refused("user '" FQ_USER "' is root: the store must be of a user of its own");
  if (::access(FQ_LIBEXEC "/fq-engine", X_OK) != 0)
    throw Failed("cannot run " FQ_LIBEXEC "/fq-engine (fq must be where it was built for)");
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw Failed("cannot make a socket");
  Fd ours(ends[0]), theirs(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) throw Failed("cannot start the engine");
  if (pid == 0) become_engine(caller, *user, theirs.get());
  return ours;
}

}  // namespace fq::gate
