#include "caller.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <linux/mempolicy.h>
#include <pwd.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "fd.h"
#include "root_file.h"
#include "signature/fields.h"
#include "signature/refused.h"

namespace fq::imp {

using signature::Refused;

namespace {

constexpr uid_t kOverflowUser = 65534;  // whom the kernel shows in place of users that it has no number for
constexpr uid_t kLeastUser = 1000;      // of ordinary users, where login.defs does not say
constexpr int kGetMdwe = 66;            // PR_GET_MDWE, which older headers do not have
constexpr char kImp[] = FQ_LIBEXEC "/fq-imp";

uid_t least_user() {
  std::istringstream lines(read_root_file("/etc/login.defs", Reader::anybody));
  std::string line, key, value;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    if (words >> key >> value && key == "UID_MIN")
      return static_cast<uid_t>(signature::parse_number(value, "UID_MIN of login.defs", UINT32_MAX));
  }
  return kLeastUser;
}

const passwd& batch_user() {
  const passwd* entry = ::getpwnam(FQ_USER);
  if (entry == nullptr) throw Refused("there is no user '" FQ_USER "'");
  return *entry;
}

// What a process hands on to those that it starts, and no change of user resets.
void shed_inherited() {
  constexpr unsigned long kOrdinarySlack = 50'000;              // ns
  ::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr);  // where the kernel has keys
  ::personality(PER_LINUX);
  ::prctl(PR_SET_TIMERSLACK, kOrdinarySlack, 0, 0, 0);
  ::prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
  ::prctl(PR_MCE_KILL, PR_MCE_KILL_CLEAR, 0, 0, 0);
  ::prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
  ::syscall(SYS_set_mempolicy, MPOL_DEFAULT, nullptr, 0);
  const Fd filter{::open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC)};
  if (filter.valid() && ::write(filter.get(), "0x33", 4) != 4)
    throw Failed("cannot set /proc/self/coredump_filter");
}

}  // namespace

Caller shed_caller() {
  ::clearenv();
  ::umask(077);
  rlimit core{};
  ::getrlimit(RLIMIT_CORE, &core);
  core.rlim_cur = 0;  // a job may have its own
  ::setrlimit(RLIMIT_CORE, &core);
  ::prctl(PR_SET_DUMPABLE, 0);
  const itimerval never{};
  for (const int timer : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF})
    ::setitimer(static_cast<__itimer_which_t>(timer), &never, nullptr);
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) != fd) ::_exit(1);
  }
  ::syscall(SYS_close_range, 3U, ~0U, 0U);
  // The kernel's own form, for the C library keeps two of them to itself.
  const char standard[64] = {};
  for (int number = 1; number < NSIG; ++number)
    ::syscall(SYS_rt_sigaction, number, standard, nullptr, std::size_t{8});
  sigset_t mask;
  ::sigemptyset(&mask);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  uid_t real = 0, effective = 0, saved = 0;
  ::getresuid(&real, &effective, &saved);
  if (effective != 0 && ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
    throw Refused("a process with no_new_privs set gets no rights by a setuid program, which this is");
  if (effective != 0) throw Refused("this program must be root's, and setuid");
  // What jobs of others would inherit, and nobody can take back.
  if (::prctl(kGetMdwe, 0, 0, 0, 0) > 0)
    throw Refused("a program that has set PR_SET_MDWE (no memory is both written and run) cannot be served");
  return {real, ::getgid()};
}

bool is_within_job() {
  char target[sizeof kImp + 16] = "";
  const ssize_t size = ::readlink("/proc/1/exe", target, sizeof target - 1);
  // Of a program that was replaced meanwhile more is said behind its name.
  return size > 0 && std::string_view(target, static_cast<std::size_t>(size)).starts_with(kImp);
}

void become_root() {
  if (::setgroups(0, nullptr) != 0 || ::setresgid(0, 0, 0) != 0 || ::setresuid(0, 0, 0) != 0)
    throw Failed("cannot become root");
  sigset_t mask;
  ::sigfillset(&mask);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  ::setsid();
  shed_inherited();
  if (::chdir("/") != 0) throw Failed("cannot enter /");
  for (int limit = 0; limit < RLIM_NLIMITS; ++limit) {
    rlimit value{}, own{};
    const auto resource = static_cast<__rlimit_resource>(limit);
    if (::prlimit(1, resource, nullptr, &value) != 0 || ::setrlimit(resource, &value) == 0) continue;
    // Root may not everywhere raise what is the most.
    if (::getrlimit(resource, &own) == 0) own.rlim_cur = std::min(value.rlim_cur, own.rlim_max);
    ::setrlimit(resource, &own);
  }
  ::setpriority(PRIO_PROCESS, 0, 0);
  const sched_param ordinary{};
  ::sched_setscheduler(0, SCHED_OTHER, &ordinary);
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &all);
  ::sched_setaffinity(0, sizeof all, &all);
  ::syscall(SYS_ioprio_set, 1, 0, 0);
  const Fd score{::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)};
  if (score.valid() && ::write(score.get(), "0", 1) != 1) throw Failed("cannot set /proc/self/oom_score_adj");
}

void become_caller(const Caller& caller) {
  if (::setresgid(caller.gid, caller.gid, caller.gid) != 0 ||
      ::setresuid(caller.uid, caller.uid, caller.uid) != 0)
    ::_exit(1);
}

void tell_caller(const Caller& caller, const std::string& line) {
  become_caller(caller);
  try {
    write_output(2, line + "\n");
  } catch (const Failed&) {
    return;
  }
}

User look_up_user(uid_t uid) {
  const uid_t batch = batch_user().pw_uid;
  const passwd* entry = ::getpwuid(uid);
  if (entry == nullptr) throw Refused("user " + std::to_string(uid) + " has no name here");
  User user{entry->pw_uid, entry->pw_gid, entry->pw_name, entry->pw_dir, entry->pw_shell};
  if (uid == 0 || uid == batch || uid == kOverflowUser || uid < least_user())
    throw Refused("user '" + user.name + "' is of the system's own, which have no jobs here");
  return user;
}

void require_batch_user(const Caller& caller) {
  if (caller.uid != batch_user().pw_uid) throw Refused("this is for user '" FQ_USER "' alone");
}

std::string read_input(std::size_t most) {
  std::string bytes;
  for (;;) {
    char part[65536];
    const ssize_t size = ::read(0, part, sizeof part);
    if (size == 0) return bytes;
    if (size < 0) throw Failed("cannot read the input");
    bytes.append(part, static_cast<std::size_t>(size));
    if (bytes.size() > most) throw Refused("there are more than " + std::to_string(most) + " bytes");
  }
}

std::string read_exactly(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t done = 0; done < size;) {
    const ssize_t some = ::read(0, bytes.data() + done, size - done);
    if (some < 0) throw Failed("cannot read the input");
    if (some == 0) throw Refused("the input is cut off");
    done += static_cast<std::size_t>(some);
  }
  return bytes;
}

void write_output(int fd, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t some = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (some < 0) throw Failed("cannot write");
    done += static_cast<std::size_t>(some);
  }
}

}  // namespace fq::imp
