#include "cli/frame/run_tool.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <new>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/frame/output.h"

namespace fq::cli {
namespace {

/// What a process that ran a tool left behind: `CODE|STDOUT|STDERR`.
std::string run(
    const std::function<int(int, char**)>& tool, const std::function<void()>& prepare = [] {}) {
  int out[2];
  int err[2];
  EXPECT_EQ(::pipe(out) | ::pipe(err), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    for (const int fd : {out[0], out[1], err[0], err[1]}) ::close(fd);
    prepare();
    char name[] = "fq-demo";
    char* argv[] = {name, nullptr};
    ::_exit(run_tool("fq-demo", 1, argv, tool));
  }
  ::close(out[1]);
  ::close(err[1]);
  const auto drain = [](int fd) {
    std::string text;
    char buffer[4096];
    for (ssize_t n; (n = ::read(fd, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(n));
    ::close(fd);
    return text;
  };
  const std::string printed = drain(out[0]);
  const std::string said = drain(err[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  return fmt::format("{}|{}|{}", code, printed, said);
}

void close_stdout() {
  ::close(STDOUT_FILENO);
}
void fill_stdout() {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ::dup2(full, STDOUT_FILENO);
}
/// stdout becomes a pipe that nobody reads.
void break_stdout(bool ignore_signal) {
  int ends[2];
  if (::pipe(ends) != 0) ::_exit(99);
  ::close(ends[0]);
  ::dup2(ends[1], STDOUT_FILENO);
  ::signal(SIGPIPE, ignore_signal ? SIG_IGN : SIG_DFL);
}

TEST(RunTool, returns_what_the_tool_returns) {
  // The tool's code is the process's; what it prints, by stdio too, arrives in order.
  EXPECT_EQ(run([](int, char**) {
              std::fputs("a", stdout);
              print("b");
              std::fputs("c", stdout);
              return 7;
            }),
            "7|abc|");
}

TEST(RunTool, turns_what_is_thrown_into_a_line_and_a_code) {
  // Each kind of exception has its words and its exit code.
  struct Case {
    std::function<void()> fault;
    std::string expected;
  };
  const Case cases[] = {
      {[] { throw Error(Kind::not_found, "queue 'debg' does not exist", "did you mean 'debug'?"); },
       "1||fq-demo: queue 'debg' does not exist (did you mean 'debug'?)\n"},
      {[] { throw Error(Kind::usage, "unknown option '-z'"); }, "2||fq-demo: unknown option '-z'\n"},
      {[] { throw Error(Kind::timeout, "the store is locked"); }, "124||fq-demo: the store is locked\n"},
      {[] {
         throw EarlyExit{"help\n", 0};
       },
       "0|help\n|"},
      {[] {
         throw EarlyExit{"commands\n", 2};
       },
       "2|commands\n|"},
      {[] { throw std::runtime_error("oops"); }, "1||fq-demo: internal error: oops\n"},
      {[] { throw std::bad_alloc(); }, "1||fq-demo: out of memory\n"},
      {[] { throw 5; }, "1||fq-demo: internal error: unknown exception\n"},
      {[] { throw OutputClosed{}; }, "141||"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(run([&](int, char**) {
                each.fault();
                return 0;
              }),
              each.expected);
  }
}

TEST(RunTool, does_not_lose_failures_of_stdout) {
  // A full disk and a closed stdout are errors; a reader that went away ends the tool as SIGPIPE does.
  const auto print_text = [](int, char**) {
    print("text\n");
    return 0;
  };
  const auto print_by_stdio = [](int, char**) {
    std::fputs("text\n", stdout);
    return 0;
  };
  const auto print_help = [](int, char**) -> int { throw EarlyExit{"help\n", 0}; };
  EXPECT_EQ(run(print_text, fill_stdout), "1||fq-demo: standard output: No space left on device\n");
  EXPECT_EQ(run(print_by_stdio, fill_stdout), "1||fq-demo: standard output: No space left on device\n");
  EXPECT_EQ(run(print_help, fill_stdout), "1||fq-demo: standard output: No space left on device\n");
  EXPECT_EQ(run(print_text, close_stdout), "1||fq-demo: standard output: Bad file descriptor\n");
  EXPECT_EQ(run(print_by_stdio, close_stdout), "1||fq-demo: standard output: Bad file descriptor\n");
  EXPECT_EQ(run(print_text, [] { break_stdout(true); }), "141||");
  EXPECT_EQ(run(print_by_stdio, [] { break_stdout(true); }), "141||");
  EXPECT_EQ(run(print_help, [] { break_stdout(true); }), "141||");
  EXPECT_EQ(run(print_text, [] { break_stdout(false); }), "1013||");
  EXPECT_EQ(run([](int, char**) { return 0; }, close_stdout), "0||");
}

TEST(RunTool, never_lets_a_file_become_a_standard_stream) {
  // With all three streams closed, the first file that is opened still gets a descriptor above them.
  EXPECT_EQ(run(
                [](int, char**) {
                  const int fd = ::open("/dev/null", O_RDONLY);
                  char byte = 0;
                  const bool no_input = ::read(STDIN_FILENO, &byte, 1) < 0 && errno == EBADF;
                  return (fd > STDERR_FILENO ? 2 : 0) + (no_input ? 1 : 0);
                },
                [] {
                  ::close(STDIN_FILENO);
                  ::close(STDOUT_FILENO);
                  ::close(STDERR_FILENO);
                }),
            "3||");
}

TEST(Print, waits_for_a_slow_reader_of_a_non_blocking_pipe) {
  // A pipe that another process made non-blocking gets everything nevertheless.
  const std::string result = run(
      [](int, char**) {
        print(std::string(1 << 20, 'x'));
        return 0;
      },
      [] { ::fcntl(STDOUT_FILENO, F_SETFL, O_NONBLOCK); });
  EXPECT_EQ(result.size(), (1U << 20) + 3);
  EXPECT_TRUE(result.starts_with("0|xxx"));
}

}  // namespace
}  // namespace fq::cli
