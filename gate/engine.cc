#include "gate/engine.h"

#include <csignal>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <grp.h>
#include <linux/magic.h>
#include <linux/sched.h>
#include <poll.h>
#include <pwd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "signature/refused.h"

namespace fq::gate {

using imp::Failed;
using imp::Fd;
using signature::Refused;

namespace {

bool join_group(const std::string& path) {
  const Fd members{::open((path + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC)};
  return members.valid() && ::write(members.get(), "0", 1) == 1;
}

bool has_type(const std::string& path, long type) {
  struct statfs info {};
  return ::statfs(path.c_str(), &info) == 0 && info.f_type == type;
}

// The hierarchies of version 1 that this process has a group in, which is not their root: where they are
// mounted.
std::vector<std::string> old_hierarchies() {
  std::vector<std::string> roots;
  std::ifstream groups("/proc/self/cgroup");
  // NUMBER:CONTROLLERS:PATH, of version 2 without controllers
  for (std::string line; std::getline(groups, line);) {
    const std::size_t begin = line.find(':') + 1, end = line.find(':', begin);
    if (begin == 0 || end == std::string::npos || begin == end || line.substr(end) == ":/") continue;
    std::string name = line.substr(begin, end - begin);
    if (name.starts_with("name=")) name.erase(0, 5);
    roots.push_back("/sys/fs/cgroup/" + name);
  }
  return roots;
}

// The groups of engines, of version 2: where the caller's control groups have no say. What freezes these, or
// gives them little of the processors or the memory, does so to no engine.
std::vector<std::string> engine_groups() {
  std::vector<std::string> paths;
  for (const std::string root : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    if (has_type(root, CGROUP2_SUPER_MAGIC)) paths.push_back(root + "/fq-engine");
  }
  return paths;
}

// Of version 1 nobody does anything to the root of a hierarchy.
void leave_callers_cgroup(bool in_engine_group) {
  for (const std::string& root : old_hierarchies()) {
    if (has_type(root, CGROUP_SUPER_MAGIC)) static_cast<void>(join_group(root));
  }
  if (in_engine_group) return;
  for (const std::string& path : engine_groups()) {
    ::mkdir(path.c_str(), 0755);
    if (join_group(path)) return;
  }
}

// Jobs of others would inherit what root can raise no more, where it has not all of root's rights.
void require_limits() {
  for (int limit = 0; limit < RLIM_NLIMITS; ++limit) {
    rlimit system{}, own{};
    const auto resource = static_cast<__rlimit_resource>(limit);
    if (::prlimit(1, resource, nullptr, &system) != 0 || ::getrlimit(resource, &own) != 0) continue;
    if (own.rlim_max >= system.rlim_max) continue;
    const rlimit raised{own.rlim_cur, system.rlim_max};
    if (::setrlimit(resource, &raised) != 0)
      throw Refused(
          "a hard limit (number " + std::to_string(limit) + " of setrlimit(2)) is " +
          std::to_string(own.rlim_max) +
          ", lower than the system's, and root cannot raise it here: " + "jobs of others would have it");
    ::setrlimit(resource, &own);
  }
}

struct Child {
  pid_t pid = -1;
  bool in_engine_group = false;
};

// In the group from the start where that is there: whoever moves to another one waits a dozen milliseconds,
// until each processor has passed a quiet point.
Child fork_engine() {
  for (const std::string& path : engine_groups()) {
    const Fd group{::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
    if (!group.valid()) continue;
    clone_args arguments{};
    arguments.flags = CLONE_INTO_CGROUP;
    arguments.exit_signal = SIGCHLD;
    arguments.cgroup = static_cast<std::uint64_t>(group.get());
    const long pid = ::syscall(SYS_clone3, &arguments, sizeof arguments);
    if (pid >= 0) return {static_cast<pid_t>(pid), true};
  }
  return {::fork(), false};
}

[[noreturn]] void become_engine(const imp::Caller& caller, const passwd& user, int socket,
                                bool in_engine_group) {
  try {
    imp::become_root();
  } catch (const std::exception&) {
    ::_exit(1);
  }
  leave_callers_cgroup(in_engine_group);
  // The engine would end with the job, and so would what it starts.
  const bool within_job = imp::is_within_job();
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
  const char* arguments[] = {
      "fq-engine", "--store",      FQ_SYSTEM_STORE, "--user",
      uid.c_str(), "--user-group", gid.c_str(),     within_job ? "--within-job" : "--stay",
      nullptr};
  const char* environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", nullptr};
  ::execve(FQ_LIBEXEC "/fq-engine", const_cast<char* const*>(arguments),
           const_cast<char* const*>(environment));
  ::_exit(1);
}

// Connected to as the user whose it is: nothing that this one puts there gets root's rights by it. Invalid
// where nobody is there.
Fd connect_as(const passwd& user) {
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const sockaddr_un place{AF_UNIX, FQ_SYSTEM_STORE "/door/engine"};
  constexpr uid_t kSame = static_cast<uid_t>(-1);
  if (!socket.valid() || ::setresuid(kSame, user.pw_uid, kSame) != 0) return Fd();
  const bool is_there = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0;
  if (::setresuid(kSame, 0, kSame) != 0) throw Failed("cannot become root");
  if (!is_there) socket.reset();
  return socket;
}

// The engine that stays for others (lib/door/engine_place.h); invalid where there is none, or it does not
// answer.
Fd call_engine(const imp::Caller& caller, const passwd& user) {
  constexpr int kPatience_ms = 1000;
  Fd socket = connect_as(user);
  if (!socket.valid()) return socket;
  const std::string who = std::to_string(caller.uid) + " " + std::to_string(caller.gid) + "\n";
  pollfd answered{socket.get(), POLLIN, 0};
  char taken = 0;
  if (::send(socket.get(), who.data(), who.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(who.size()) ||
      ::poll(&answered, 1, kPatience_ms) != 1 || ::recv(socket.get(), &taken, 1, 0) != 1 || taken != 'U')
    return Fd();
  return socket;
}

}  // namespace

Fd reach_engine(const imp::Caller& caller) {
  const passwd* user = ::getpwnam(FQ_USER);
  if (user == nullptr) throw Refused("there is no user '" FQ_USER "', whose store it opens");
  if (user->pw_uid == 0) throw Refused("user '" FQ_USER "' is root: the store must be of a user of its own");
  if (Fd engine = call_engine(caller, *user); engine.valid()) return engine;
  if (::access(FQ_LIBEXEC "/fq-engine", X_OK) != 0)
    throw Failed("cannot run " FQ_LIBEXEC "/fq-engine (fq must be where it was built for)");
  require_limits();
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw Failed("cannot make a socket");
  Fd ours(ends[0]), theirs(ends[1]);
  const Child child = fork_engine();
  if (child.pid < 0) throw Failed("cannot start the engine");
  if (child.pid == 0) become_engine(caller, *user, theirs.get(), child.in_engine_group);
  return ours;
}

}  // namespace fq::gate
