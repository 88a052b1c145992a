#include "kill.h"

#include <cctype>
#include <csignal>

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "fd.h"
#include "record.h"
#include "signature/fields.h"
#include "signature/refused.h"
#include "signature/signed_request.h"

namespace fq::imp {

using signature::Refused;

namespace {

constexpr int kKillTime = 500;     // milliseconds in which killed processes mostly are gone
constexpr int kSignalTime = 1000;  // and for the process that signals, which the user may hinder

// Processes of this namespace as its /proc shows them, but for its first and this one.
int count_processes() {
  int count = 0;
  DIR* directory = ::opendir("/proc");
  while (const dirent* entry = directory != nullptr ? ::readdir(directory) : nullptr) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) == 0) continue;
    const long pid = std::strtol(entry->d_name, nullptr, 10);
    if (pid != 1 && pid != ::getpid()) ++count;
  }
  return count;
}

// In a process inside the namespace, which is the user's: signals reach what is the user's there, and no
// more. Returns how many there are beside the first; none where they are ending.
int signal_inside(const Record& record, const Fd& first, int number) {
  int answer[2];
  if (::pipe2(answer, O_CLOEXEC) != 0) throw Failed("cannot make a pipe");
  const Fd from{answer[0]};
  Fd to{answer[1]};
  const bool entered = ::setns(first.get(), CLONE_NEWPID | CLONE_NEWNS) == 0;
  const pid_t pid = entered ? ::fork() : -1;
  if (pid < 0) {
    if (errno == ESRCH || errno == ENOMEM) return 0;
    throw Failed("cannot enter the job's namespace");
  }
  if (pid == 0) {
    const gid_t group = record.group();
    const uid_t user = record.user();
    if (::setgroups(0, nullptr) != 0 || ::setresgid(group, group, group) != 0 ||
        ::setresuid(user, user, user) != 0)
      ::_exit(1);
    if (number != 0) ::kill(-1, number);
    const int count = count_processes();
    ::_exit(::write(to.get(), &count, sizeof count) == sizeof count ? 0 : 1);
  }
  to.reset();
  pollfd waited{from.get(), POLLIN, 0};
  int count = 1;
  if (::poll(&waited, 1, kSignalTime) <= 0 || ::read(from.get(), &count, sizeof count) != sizeof count)
    count = 1;
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  return count;
}

}  // namespace

void kill(const Caller& caller, const std::vector<std::string>& arguments) {
  require_batch_user(caller);
  if (arguments.size() < 4 || arguments.size() > 5 || !signature::is_store_name(arguments[0]))
    throw Refused("kill STORE ID ATTEMPT SIGNAL [NUMBER]");
  const std::uint64_t id = signature::parse_number(arguments[1], "ID");
  const auto attempt =
      static_cast<std::uint32_t>(signature::parse_number(arguments[2], "ATTEMPT", UINT32_MAX));
  const int number = static_cast<int>(signature::parse_number(arguments[3], "SIGNAL", NSIG - 1));
  const std::uint64_t store = arguments.size() == 5 ? signature::parse_number(arguments[4], "NUMBER") : 0;
  become_root();
  if (is_within_job()) throw Refused("this is not for processes within a job");
  Record record(arguments[0], store, id);
  Fd running = record.open_running();
  int left = 0;
  if (running.valid() && record.attempt() <= attempt) {
    if (number == SIGKILL) {
      ::syscall(SYS_pidfd_send_signal, running.get(), SIGKILL, nullptr, 0);
      if (has_ended(running, kKillTime)) running.reset();
    }
    if (running.valid() && record.has_namespace()) {
      left = signal_inside(record, running, number == SIGKILL ? 0 : number);
      if (left == 0 && has_ended(running, kKillTime)) running.reset();
    }
    if (running.valid()) ++left;
  }
  if (!running.valid()) {
    // One that never began, and may be on its way, must not begin.
    if (record.began() && record.attempt() >= attempt) {
      record.remove();
    } else if (record.attempt() < attempt) {
      record.close(attempt);
    }
  }
  const Process last = record.running();
  write_output(1, left == 0 ? "empty\n"
                            : std::to_string(left) + " " + std::to_string(last.pid) + " " +
                                  std::to_string(last.start) + "\n");
}

}  // namespace fq::imp
