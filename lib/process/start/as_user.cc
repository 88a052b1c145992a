#include "process/start/as_user.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <grp.h>
#include <pwd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

namespace fq::process {
namespace {

constexpr int kNotBecome = 126;  // exit code of a child that could not become the user

bool become(const std::string& name, uid_t uid, gid_t gid) {
  ::setsid();
  for (int limit = 0; limit < RLIM_NLIMITS; ++limit) {
    rlimit value{};
    const auto resource = static_cast<__rlimit_resource>(limit);
    if (::prlimit(1, resource, nullptr, &value) == 0) ::setrlimit(resource, &value);
  }
  ::umask(077);
  ::clearenv();
  ::setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1);
  return ::chdir("/") == 0 && ::initgroups(name.c_str(), gid) == 0 && ::setresgid(gid, gid, gid) == 0 &&
         ::setresuid(uid, uid, uid) == 0;
}

}  // namespace

int do_as_user(const std::string& user, const std::function<int()>& action) {
  const passwd* entry = ::getpwnam(user.c_str());
  if (entry == nullptr) throw error(Kind::not_found, "there is no user {}", quote(user));
  const uid_t uid = entry->pw_uid;
  const gid_t gid = entry->pw_gid;
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) throw system_error("cannot start a process", errno);
  if (pid == 0) {
    if (!become(user, uid, gid)) ::_exit(kNotBecome);
    const int code = action();
    std::fflush(nullptr);
    ::_exit(code);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  if (WEXITSTATUS(status) == kNotBecome) throw error(Kind::permission, "cannot become user {}", quote(user));
  return WEXITSTATUS(status);
}

}  // namespace fq::process
