#include "cli/follow/job_terminal.h"

#include <string>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "meeting/terminal_link.h"

namespace fq::cli {
namespace {

class JobTerminalTest : public testing::Test {
 protected:
  JobTerminalTest() { connect(); }
  void connect() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    here_.emplace(UniqueFd{ends[0]});
    shell_.emplace(UniqueFd{ends[1]});
  }
  JobTerminal open(bool logged = false) {
    return {std::move(*here_), {.command = "test", .writes = false, .owns = false, .logged = logged}};
  }

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

TEST_F(JobTerminalTest, KnowsFromWhereOnNothingWasShown) {
  // Where the link is lost, and where it passed something over that the log has: all from there on is the
  // log's.
  testing::internal::CaptureStdout();
  {
    JobTerminal terminal = open();
    shell_->send('O', "seen");
    ASSERT_TRUE(shell_->flush());
    shell_.reset();
    EXPECT_EQ(terminal.take(), JobTerminal::Outcome::lost);
    EXPECT_EQ(terminal.unshown_from(), 4U);
  }
  connect();
  {
    JobTerminal terminal = open(/*logged=*/true);
    shell_->send('O', "seen");
    shell_->send('P', "10");
    shell_->send('O', "passed over");
    shell_->send('E', "");
    ASSERT_TRUE(shell_->flush());
    EXPECT_EQ(terminal.take(), JobTerminal::Outcome::over);
    EXPECT_EQ(terminal.unshown_from(), 4U);
  }
  connect();
  {
    JobTerminal terminal = open();
    shell_->send('O', "seen");
    shell_->send('P', "10");
    shell_->send('O', "the last");
    shell_->send('E', "");
    ASSERT_TRUE(shell_->flush());
    EXPECT_EQ(terminal.take(), JobTerminal::Outcome::over);
    EXPECT_EQ(terminal.unshown_from(), std::nullopt);
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "seenseenseenthe last");
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
