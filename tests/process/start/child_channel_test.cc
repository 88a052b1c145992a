// A program that is spoken to line by line: it cannot block who speaks to it, and does not outlive it.

#include "process/start/child_channel.h"

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace fq::process {
namespace {

// Long enough for a busy machine; where a test waits for a silence it takes a short one.
constexpr double kChildPatience = 60;

std::vector<std::string> shell_script(const std::string& text) {
  return {"sh", "-c", text};
}

template <typename Call>
std::string thrown_by(const Call& call) {
  try {
    call();
  } catch (const Error& failure) {
    return failure.what();
  }
  return {};
}

TEST(ChildChannel, LinesGoBothWays) {
  ChildChannel child({"cat"});
  child.send_line("one", kChildPatience);
  child.send_line("", kChildPatience);
  EXPECT_EQ(child.receive_line(kChildPatience), "one");
  EXPECT_EQ(child.receive_line(kChildPatience), "");
  child.close_input();
  EXPECT_EQ(child.receive_line(kChildPatience), std::nullopt);
  EXPECT_EQ(child.how_it_ended(kChildPatience), "");
}

TEST(ChildChannel, WhatCannotBeRunIsSaid) {
  EXPECT_EQ(thrown_by([] { ChildChannel{{"/no/such"}}; }), "cannot run '/no/such': there is no such program");
  EXPECT_EQ(thrown_by([] { ChildChannel{{"/etc/passwd"}}; }),
            "cannot run '/etc/passwd': it is not executable");
  EXPECT_EQ(thrown_by([] { ChildChannel{{"/"}}; }), "cannot run '/': it is not a file");
  EXPECT_EQ(why_not_executable("sh"), "");
}

TEST(ChildChannel, SilenceIsATimeout) {
  ChildChannel child({"cat"});
  EXPECT_EQ(thrown_by([&] { static_cast<void>(child.receive_line(0.05)); }), "it says nothing for 0.05 s");
}

TEST(ChildChannel, ThereIsATimeInAll) {
  ChildChannel child({"cat"}, 0);
  EXPECT_EQ(thrown_by([&] { static_cast<void>(child.receive_line(kChildPatience)); }),
            "it takes too long in all");
}

TEST(ChildChannel, AFullStderrBlocksNothingAndItsLastLineIsKept) {
  ChildChannel child(
      shell_script("head -c 1000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo last >&2; echo said"));
  EXPECT_EQ(child.receive_line(kChildPatience), "said");
  EXPECT_EQ(child.last_complaint(), "last");
}

TEST(ChildChannel, AProgramThatDoesNotReadCannotBlock) {
  ChildChannel child(shell_script("exec sleep 1000"));
  const std::string large(std::size_t{1} << 20, 'x');
  EXPECT_EQ(thrown_by([&] { child.send_line(large, 0.05); }), "it reads nothing for 0.05 s");
}

TEST(ChildChannel, AProgramThatWritesWhileItIsSpokenToCannotBlock) {
  ChildChannel child({"cat"});
  const std::string large(std::size_t{1} << 20, 'x');
  child.send_line(large, kChildPatience);
  EXPECT_EQ(child.receive_line(kChildPatience), large);
}

TEST(ChildChannel, AClosedInputIsAnErrorAndNoSignal) {
  ChildChannel child(shell_script("exec <&-; echo ready; exit 5"));
  EXPECT_EQ(child.receive_line(kChildPatience), "ready");
  EXPECT_EQ(child.receive_line(kChildPatience), std::nullopt);
  EXPECT_EQ(thrown_by([&] { child.send_line("text", kChildPatience); }), "it exited with 5");
}

TEST(ChildChannel, HowItEndedIsTold) {
  ChildChannel killed(shell_script("kill -9 $$"));
  EXPECT_EQ(killed.receive_line(kChildPatience), std::nullopt);
  EXPECT_EQ(killed.how_it_ended(kChildPatience), "signal 9 ended it");
  ChildChannel stays({"sleep", "1000"});
  EXPECT_EQ(stays.how_it_ended(0.05), "it does not end");
}

TEST(ChildChannel, LinesAreBounded) {
  ChildChannel child(shell_script("exec tr '\\0' x </dev/zero"));
  EXPECT_EQ(thrown_by([&] { static_cast<void>(child.receive_line(kChildPatience)); }),
            "it writes a line that does not end");
  ChildChannel half(shell_script("printf half"));
  EXPECT_EQ(thrown_by([&] { static_cast<void>(half.receive_line(kChildPatience)); }),
            "it ended within a line: 'half'");
}

TEST(ChildChannel, NothingOfItIsLeft) {
  pid_t pid = 0;
  {
    ChildChannel child(shell_script("sleep 1000 & echo $!; wait"));
    pid = child.pid();
    const auto grandchild = static_cast<pid_t>(std::stol(child.receive_line(kChildPatience).value()));
    EXPECT_EQ(::kill(grandchild, 0), 0);
  }
  EXPECT_EQ(::kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(ChildChannel, SignalsAndDescriptorsAreNotInherited) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const int inherited = ::fcntl(2, F_DUPFD, 100);  // none that the script opens itself
  {
    ChildChannel child(shell_script("grep SigBlk /proc/self/status; ls /proc/$$/fd | tr '\\n' ' '; echo"));
    EXPECT_EQ(child.receive_line(kChildPatience), "SigBlk:\t0000000000000000");
    const std::string descriptors = child.receive_line(kChildPatience).value();
    EXPECT_EQ(descriptors.find("0 1 2 "), 0U);
    EXPECT_EQ(descriptors.find(" " + std::to_string(inherited) + " "), std::string::npos) << descriptors;
  }
  ::close(inherited);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace
}  // namespace fq::process
