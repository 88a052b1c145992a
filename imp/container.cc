#include "container.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "fd.h"
#include "gpus.h"
#include "record.h"

namespace fq::imp {
namespace {

constexpr int kSignalBase = 128;  // of the exit code that a shell gives for a signal
constexpr int kJobFd = 3;
constexpr char kProgram[] = FQ_LIBEXEC "/fq-tasks";

std::string read_some(const Fd& fd, std::size_t most) {
  std::string text(most, '\0');
  const ssize_t size = ::read(fd.get(), text.data(), most);
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return text;
}

// The job sees its own processes, and of the user's services none: what is asked of these runs outside.
bool mount_own(const User& user) {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0 ||
      ::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0) {
    return false;
  }
  if (::access("/run/user", F_OK) != 0) return true;
  const std::string own = "/run/user/" + std::to_string(user.uid);
  return ::mount("tmpfs", "/run/user", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=10%") == 0 &&
         ::mkdir(own.c_str(), 0700) == 0 && ::chown(own.c_str(), user.uid, user.gid) == 0;
}

}  // namespace

Container::Container(const User& user, std::vector<std::string> environment, const Fd& job,
                     const std::vector<std::string>& hidden) {
  int told[2], go[2];
  if (::pipe2(told, O_CLOEXEC) != 0) throw Failed("cannot make a pipe");
  told_.reset(told[0]);
  tell_.reset(told[1]);
  if (::pipe2(go, O_CLOEXEC) != 0) throw Failed("cannot make a pipe");
  const Fd wait{go[0]};
  go_.reset(go[1]);
  first_ = static_cast<pid_t>(
      ::syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, nullptr, nullptr, nullptr, 0));
  if (first_ < 0) throw Failed("cannot make a namespace of processes");
  if (first_ == 0) {
    // What parts this from fq-imp's end: from here it ends with it, and it waits for a word of it.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    go_.reset();
    if (!mount_own(user)) tell_and_exit("cannot make the job's mounts");
    if (!hide(hidden)) tell_and_exit("cannot hide what is other jobs'");
    if (::write(tell_.get(), "r", 1) != 1 || read_some(wait, 1) != "g") ::_exit(1);
    run_first(user, environment, job);
  }
  tell_.reset();
  gone_.reset(static_cast<int>(::syscall(SYS_pidfd_open, first_, 0)));
  const std::string ready = read_some(told_, 1024);
  if (ready != "r" || !gone_.valid()) throw Failed("cannot make the job's namespace: " + ready, ECANCELED);
}

void Container::start() {
  if (::write(go_.get(), "g", 1) != 1) throw Failed("the job's namespace has ended");
  ::close(0);
  const std::string wrong = read_some(told_, 1024);
  if (!wrong.empty()) throw Failed(wrong, ECANCELED);
}

int Container::wait() {
  pollfd watched[2] = {{gone_.get(), POLLIN, 0}, {1, 0, 0}};
  for (;;) {
    ::poll(watched, 2, -1);
    if (watched[0].revents != 0) break;
    if (watched[1].revents != 0) {
      ::syscall(SYS_pidfd_send_signal, gone_.get(), SIGKILL, nullptr, 0);
      watched[1].fd = -1;
    }
  }
  int status = 0;
  ::waitpid(first_, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
}

void Container::run_first(const User& user, const std::vector<std::string>& environment, const Fd& job) {
  const pid_t half = ::fork();
  if (half < 0) tell_and_exit("cannot start a process");
  if (half == 0) run_user(user, environment, job);
  ::syscall(SYS_close_range, 0U, ~0U, 0U);
  for (;;) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, 0);
    // With it all others end.
    if (pid == half) ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status));
  }
}

void Container::run_user(const User& user, const std::vector<std::string>& environment, const Fd& job) {
  tell_.reset(::fcntl(tell_.get(), F_DUPFD_CLOEXEC, kJobFd + 1));
  const Fd nothing{::open("/dev/null", O_RDWR | O_CLOEXEC)};
  if (::setsid() < 0 || ::dup2(nothing.get(), 2) < 0 || ::dup2(job.get(), kJobFd) < 0 ||
      ::fcntl(kJobFd, F_SETFD, 0) != 0 ||
      ::syscall(SYS_close_range, static_cast<unsigned>(kJobFd + 1), ~0U, 4U /* CLOSE_RANGE_CLOEXEC */) != 0) {
    tell_and_exit("cannot hand the job over");
  }
  if (::setresgid(user.gid, user.gid, user.gid) != 0 || ::setresuid(user.uid, user.uid, user.uid) != 0 ||
      ::setuid(0) == 0) {
    tell_and_exit("cannot become the user");
  }
  ::umask(022);
  ::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr);  // not the caller's
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  std::vector<char*> variables;
  for (const std::string& variable : environment) variables.push_back(const_cast<char*>(variable.c_str()));
  variables.push_back(nullptr);
  char* arguments[] = {const_cast<char*>("fq-tasks"), nullptr};
  ::execve(kProgram, arguments, variables.data());
  tell_and_exit(std::string{"cannot execute "} + kProgram);
}

void Container::tell_and_exit(const std::string& what) {
  const std::string text = what + ": " + std::strerror(errno);
  static_cast<void>(!::write(tell_.get(), text.data(), text.size()));
  ::_exit(1);
}

}  // namespace fq::imp
