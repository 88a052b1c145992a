#include "cli/follow/job_terminal.h"

#include <string>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "meeting/terminal_link.h"

namespace fq::cli {
namespace {

class JobTerminalTest : public testing::Test {
 protected:
  JobTerminalTest() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    here_.emplace(UniqueFd{ends[0]});
    shell_.emplace(UniqueFd{ends[1]});
  }
  JobTerminal open() { return {std::move(*here_), {.command = "test", .writes = false, .owns = false}}; }

  std::optional<meeting::TerminalLink> here_, shell_;
};

TEST_F(JobTerminalTest, AllThatWasSentIsShownThoughTheShellHasGone) {
  // However many pieces it comes in, and with words of this end that nobody has read.
  testing::internal::CaptureStdout();
  JobTerminal terminal = open();
  std::string sent;
  for (int i = 0; i < 150; ++i) {
    const std::string piece = std::to_string(i) + "\n";
    shell_->send('O', piece);
    sent += piece;
  }
  shell_->send('E', "");
  ASSERT_TRUE(shell_->flush());
  ASSERT_EQ(shell_->queued(), 0U);
  shell_.reset();
  EXPECT_EQ(terminal.take(), JobTerminal::Outcome::goes_on);
  terminal.show_rest();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), sent);
}

TEST_F(JobTerminalTest, HasBegunWithTheFirstThatComes) {
  // The end alone is no beginning: then nothing was shown.
  {
    JobTerminal terminal = open();
    EXPECT_EQ(terminal.take(), JobTerminal::Outcome::goes_on);
    EXPECT_FALSE(terminal.began());
    shell_->send('R', "");
    shell_->flush();
    EXPECT_EQ(terminal.take(), JobTerminal::Outcome::goes_on);
    EXPECT_TRUE(terminal.began());
  }
}

TEST_F(JobTerminalTest, AnEndWithoutABeginningShowsNothing) {
  // What the task wrote is then in the log.
  JobTerminal terminal = open();
  shell_->send('E', "");
  shell_->flush();
  EXPECT_EQ(terminal.take(), JobTerminal::Outcome::over);
  EXPECT_FALSE(terminal.began());
}

}  // namespace
}  // namespace fq::cli
