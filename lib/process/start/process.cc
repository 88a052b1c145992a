#include "process/start/process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "process/machine/affinity.h"
#include "process/tree/cgroup.h"
#include "process/tree/process_id.h"

namespace fq::process {
namespace {

constexpr int kNotFound = 127;
constexpr int kNotExecutable = 126;
// Where a program is looked for when the job's environment has no PATH.
constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

// Without processes a task is tried again after a pause that doubles, for some six seconds in all.
constexpr double kFirstForkPause = 0.05;
constexpr double kLongestForkPause = 3.2;

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("cannot make a pipe", errno);
  return {UniqueFd{ends[0]}, UniqueFd{ends[1]}};
}

void set_non_blocking(const UniqueFd& fd) {
  if (fd.valid()) ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

/// The files that may be the program, in the order in which they are tried.
std::vector<std::string> candidates(const TaskCommand& command) {
  const std::string& program = command.arguments.front();
  if (program.empty() || program.find('/') != std::string::npos) return {program};
  std::string_view path = kDefaultPath;
  for (const std::string& variable : command.environment) {
    if (variable.starts_with("PATH=")) path = std::string_view{variable}.substr(5);
  }
  std::vector<std::string> found;
  for (const std::string_view directory : split(path, ':')) {
    found.push_back(directory.empty() ? program : fmt::format("{}/{}", directory, program));
  }
  return found;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (const std::string& each : strings) out.push_back(const_cast<char*>(each.c_str()));
  out.push_back(nullptr);
  return out;
}

/// Executes the first candidate that can be; returns the errno that says best why none could.
int execute(const TaskCommand& command) {
  const std::vector<char*> arguments = pointers(command.arguments);
  const std::vector<char*> environment = pointers(command.environment);
  int reason = ENOENT;
  for (const std::string& file : candidates(command)) {
    ::execve(file.c_str(), arguments.data(), environment.data());
    if (errno == ENOEXEC) {
      // A script without `#!` is the shell's, as execvp(3) has it.
      std::vector<char*> script = arguments;
      char shell[] = "/bin/sh";
      script.insert(script.begin(), shell);
      script[1] = const_cast<char*>(file.c_str());
      ::execve(shell, script.data(), environment.data());
    }
    if (errno != ENOENT && errno != ENOTDIR) {
      reason = errno;
      if (errno != EACCES) break;
    }
  }
  return reason;
}

/// The interpreter that a script names in its first line; empty where it names none.
std::string interpreter_of(const std::string& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  char start[256];
  const ssize_t n = fd.valid() ? ::read(fd.get(), start, sizeof start) : 0;
  std::string_view line{start, static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
  if (!line.starts_with("#!")) return {};
  line = trim(line.substr(2, line.find('\n') - 2));
  return std::string{line.substr(0, line.find_first_of(" \t"))};
}

void reset_signals() {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void set_oom_score(int value) {
  const int fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  char text[16];
  const int length = std::snprintf(text, sizeof text, "%d", value);
  [[maybe_unused]] const ssize_t written = ::write(fd, text, static_cast<std::size_t>(length));
  ::close(fd);
}

struct ChildPipes {
  Pipe go;  ///< one byte a child, when all are recorded
  std::vector<Pipe> out, err, failed;
};

/// What the child does; never returns.
[[noreturn]] void become(const TaskCommand& command, ChildPipes& pipes, std::size_t index) {
  pipes.go.write.reset();
  const int failed = pipes.failed[index].write.get();
  const bool terminal = command.terminal_fd >= 0;
  if (terminal) {
    ::setsid();
    ::ioctl(command.terminal_fd, TIOCSCTTY, 0);
  } else if (command.new_process_group) {
    ::setpgid(0, 0);
  }
  // Nobody is left to record what the task does once the shell is gone.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  char go = 0;
  ssize_t n;
  while ((n = ::read(pipes.go.read.get(), &go, 1)) < 0 && errno == EINTR) {
  }
  if (n != 1) ::_exit(kNotFound);

  reset_signals();
  const int input = command.stdin_fd >= 0
                        ? command.stdin_fd
                        : ::open(command.stdin_path.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC);
  const int out = terminal ? command.terminal_fd : pipes.out[index].write.get();
  const int err = terminal ? command.terminal_fd : pipes.err[index].write.get();
  const bool connected = input >= 0 && ::dup2(input, 0) == 0 && ::dup2(out, 1) == 1 && ::dup2(err, 2) == 2;
  int reason = errno;
  if (connected) {
    // Whatever the shell holds open stays with the shell.
    if (::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) {
      for (int fd = 3; fd < 4096; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    if (command.kept_fd >= 0) ::fcntl(command.kept_fd, F_SETFD, 0);
    if (command.cpus) set_affinity(*command.cpus);
    if (!command.memory_nodes.empty()) take_memory_from(command.memory_nodes, command.memory_from);
    if (command.oom_score_adj) set_oom_score(*command.oom_score_adj);
    ::umask(command.umask);
    for (const FittedLimits::Limit& limit : command.limits) {
      const rlimit value{limit.soft, limit.hard};
      ::setrlimit(static_cast<__rlimit_resource>(limit.resource), &value);
    }
    if (command.stop_in_exec) ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    reason = execute(command);
  }
  // The shell ends the job as soon as it hears of this; the task's own status is to be the answer.
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  [[maybe_unused]] const ssize_t told = ::write(failed, &reason, sizeof reason);
  ::_exit(reason == ENOENT ? kNotFound : kNotExecutable);
}

pid_t fork_patiently(const std::string& cgroup) {
  double pause = kFirstForkPause;
  pid_t pid = fork_into_cgroup(cgroup);
  for (; pid < 0 && errno == EAGAIN && pause <= kLongestForkPause; pause *= 2) {
    pause_for(pause);
    pid = fork_into_cgroup(cgroup);
  }
  if (pid < 0 && errno == EAGAIN) {
    throw error(Kind::exhausted, "cannot start a task: the limit on processes (ulimit -u) is used up");
  }
  if (pid < 0) throw system_error("cannot fork a task", errno);
  return pid;
}

}  // namespace

std::vector<StartedTask> start_tasks(const std::vector<TaskCommand>& commands,
                                     const std::function<void(const std::vector<StartedTask>&)>& record) {
  ChildPipes pipes;
  pipes.go = make_pipe();
  std::vector<StartedTask> started;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const bool terminal = commands[i].terminal_fd >= 0;
    pipes.out.push_back(terminal ? Pipe{} : make_pipe());
    pipes.err.push_back(terminal ? Pipe{} : make_pipe());
    pipes.failed.push_back(make_pipe());
    const pid_t pid = fork_patiently(commands[i].cgroup);
    if (pid == 0) become(commands[i], pipes, i);
    // A group's leader could not begin a session.
    if (commands[i].new_process_group && !terminal) ::setpgid(pid, pid);
    pipes.out[i].write.reset();
    pipes.err[i].write.reset();
    pipes.failed[i].write.reset();
    StartedTask task;
    task.rank = commands[i].rank;
    task.pid = pid;
    // It waits for `go`, so that it is there.
    if (const auto stat = read_process_stat(pid)) task.start_time = stat->start_time;
    task.out = std::move(pipes.out[i].read);
    task.err = std::move(pipes.err[i].read);
    task.failed = std::move(pipes.failed[i].read);
    for (const UniqueFd* fd : {&task.out, &task.err, &task.failed}) set_non_blocking(*fd);
    started.push_back(std::move(task));
  }
  record(started);
  const std::string go(commands.size(), 'g');
  if (::write(pipes.go.write.get(), go.data(), go.size()) != static_cast<ssize_t>(go.size())) {
    throw system_error("cannot let the tasks run", errno);
  }
  return started;
}

std::optional<int> start_failure(const UniqueFd& failed, bool& pending) {
  int reason = 0;
  ssize_t n;
  while ((n = ::read(failed.get(), &reason, sizeof reason)) < 0 && errno == EINTR) {
  }
  pending = n < 0;
  if (n != sizeof reason) return std::nullopt;
  return reason;
}

std::string why_not_run(const TaskCommand& command, int reason) {
  for (const std::string& file : candidates(command)) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) continue;
    if (reason == EACCES && S_ISDIR(status.st_mode)) return "it is a directory";
    if (reason == EACCES && (status.st_mode & 0111) == 0) return "it is not executable";
    // The file is there: what is not is the program that is to read it.
    if (reason != ENOENT || !S_ISREG(status.st_mode)) continue;
    const std::string interpreter = interpreter_of(file);
    return interpreter.empty() ? "what loads it is not there"
                               : fmt::format("its interpreter {} is not there", quote(interpreter));
  }
  return std::strerror(reason);
}

}  // namespace fq::process
