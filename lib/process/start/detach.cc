#include "process/start/detach.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <vector>

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

namespace fq::process {
namespace {

// The new process shares this one's memory until its exec (CLONE_VM), and this one is suspended until then
// (CLONE_VFORK): nothing is copied, however large the starter is. So the functions that run in it use
// system calls only, on stacks of their own, and no sanitizer may instrument them.

constexpr std::size_t kStack = std::size_t{64} * 1024;
constexpr int kPassedFd = 3;
constexpr std::size_t kMostPassed = 2;

struct Request {
  const char* program;
  char* const* arguments;
  char* const* environment;
  const int* pass_fds;
  std::size_t passes;
  char* second_stack_top;
  pid_t pid;
  int failure;
};

[[gnu::no_sanitize("address", "undefined")]] void close_from(unsigned first) {
  if (::close_range(first, ~0U, 0) == 0) return;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const unsigned end = limit.rlim_max > 1048576 ? 1048576U : static_cast<unsigned>(limit.rlim_max);
  for (unsigned fd = first; fd < end; ++fd) ::close(static_cast<int>(fd));
}

[[gnu::no_sanitize("address", "undefined")]] int execute(void* argument) {
  auto* request = static_cast<Request*>(argument);
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &standard, nullptr);
  // To where nothing of them is in the way of another.
  int passed[kMostPassed];
  constexpr int kAside = kPassedFd + static_cast<int>(kMostPassed);
  for (std::size_t i = 0; i < request->passes; ++i)
    passed[i] = ::fcntl(request->pass_fds[i], F_DUPFD, kAside);
  const int null = ::open("/dev/null", O_RDWR);
  const bool standard_io = null >= 0 && ::dup2(null, 0) == 0 && ::dup2(null, 1) == 1 && ::dup2(null, 2) == 2;
  bool handed_over = true;
  for (std::size_t i = 0; i < request->passes; ++i) {
    const int place = kPassedFd + static_cast<int>(i);
    handed_over = handed_over && passed[i] >= 0 && ::dup2(passed[i], place) == place;
  }
  if (standard_io && handed_over && ::chdir("/") == 0) {
    close_from(static_cast<unsigned>(kPassedFd) + static_cast<unsigned>(request->passes));
    ::umask(077);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execve(request->program, request->arguments, request->environment);
  }
  request->failure = errno;
  ::_exit(127);
}

// The process between: its child has no parent once it is gone, and a session that no terminal can join.
[[gnu::no_sanitize("address", "undefined")]] int detach(void* argument) {
  auto* request = static_cast<Request*>(argument);
  ::setsid();
  request->pid = ::clone(execute, request->second_stack_top, CLONE_VM | CLONE_VFORK | SIGCHLD, request);
  if (request->pid < 0) {
    request->failure = errno;
  } else if (request->failure != 0) {
    // It could not execute the program: only when it is gone has it given up the passed descriptor.
    ::waitpid(request->pid, nullptr, __WALL);
  }
  ::_exit(0);
}

class Stacks {
 public:
  Stacks()
      : memory_(::mmap(nullptr, 2 * kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED) throw system_error("cannot start a process", errno);
  }
  ~Stacks() { ::munmap(memory_, 2 * kStack); }
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  [[nodiscard]] char* top(int which) const { return static_cast<char*>(memory_) + (which + 1) * kStack; }

 private:
  void* memory_;
};

// A handler that ran in the new process would work on this one's memory.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &previous_);
  }
  ~AllSignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &previous_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t previous_{};
};

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, __WALL) < 0) {
    if (errno != EINTR) return 0;
  }
  return status;
}

/// Runs the request with `entry` as the first process; returns that process's pid.
pid_t run(Request& request, int (*entry)(void*), std::span<const std::string> arguments,
          std::span<const std::string> more_environment = {}) {
  std::vector<char*> pointers;
  for (const std::string& each : arguments) pointers.push_back(const_cast<char*>(each.c_str()));
  pointers.push_back(nullptr);
  char path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
  std::vector<char*> environment{path};
  for (const std::string& each : more_environment) environment.push_back(const_cast<char*>(each.c_str()));
  environment.push_back(nullptr);
  request.arguments = pointers.data();
  request.environment = environment.data();

  const Stacks stacks;
  request.second_stack_top = stacks.top(1);
  const AllSignalsBlocked blocked;
  // Without an exit signal the child's end does not reach the caller's handlers.
  const pid_t pid = ::clone(entry, stacks.top(0), CLONE_VM | CLONE_VFORK, &request);
  if (pid < 0) throw system_error("cannot start " + quote(request.program), errno);
  return pid;
}

}  // namespace

pid_t start_detached(const std::string& program, std::span<const std::string> arguments,
                     std::span<const int> pass_fds, std::span<const std::string> environment) {
  if (pass_fds.size() > kMostPassed)
    throw error(Kind::internal, "too many descriptors for {}", quote(program));
  Request request{};
  request.program = program.c_str();
  request.pass_fds = pass_fds.data();
  request.passes = pass_fds.size();
  wait_for(run(request, detach, arguments, environment));
  if (request.failure != 0) throw system_error("cannot start " + quote(program), request.failure);
  return request.pid;
}

int run_and_wait(const std::string& program, std::span<const std::string> arguments) {
  Request request{};
  request.program = program.c_str();
  const int status = wait_for(run(request, execute, arguments));
  if (request.failure != 0) throw system_error("cannot start " + quote(program), request.failure);
  return status;
}

namespace {

void execute_words(const char* program, std::span<const std::string> arguments) {
  std::vector<char*> words;
  for (const std::string& each : arguments) words.push_back(const_cast<char*>(each.c_str()));
  words.push_back(nullptr);
  ::execv(program, words.data());
}

}  // namespace

void run_anew(std::span<const std::string> arguments) {
  execute_words("/proc/self/exe", arguments);
}

void become(const std::string& program, std::span<const std::string> arguments) {
  execute_words(program.c_str(), arguments);
  throw system_error("cannot run " + quote(program), errno);
}

}  // namespace fq::process
