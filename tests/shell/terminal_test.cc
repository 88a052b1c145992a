#include "shell/terminal.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "meeting/terminal_link.h"
#include "shell_fixture.h"
#include "support/manual_clock.h"

namespace fq::shell {
namespace {

TEST(TerminalLink, TextsOfPacketsAreReadAsTheyAreWritten) {
  // And nothing else is taken.
  for (const meeting::LookRequest& look :
       {meeting::LookRequest{true, false, {24, 80}}, meeting::LookRequest{false, false, {1, 65535}},
        meeting::LookRequest{true, true, {50, 200}}, meeting::LookRequest{false, true, {2, 2}}}) {
    EXPECT_EQ(meeting::decode_look(meeting::encode_look(look)), look);
  }
  for (const char* text : {"", "w", "w ", "w24 80", "ow 24 80", "w 24", "w 0 80", "w 24 65536", "w 24 80 1",
                           "w -1 80", "x 24 80", "w 24  80"}) {
    EXPECT_EQ(meeting::decode_look(text), std::nullopt) << text;
  }
}

class TerminalTest : public testing::Test {
 protected:
  TerminalTest() : files_(make_store()), terminal_(files_, kId, {}, clock_), slave_(terminal_.take_slave()) {
    termios settings{};
    ::tcgetattr(slave_.get(), &settings);
    ::cfmakeraw(&settings);
    ::tcsetattr(slave_.get(), TCSANOW, &settings);
  }

  meeting::JobFiles make_store() {
    // A path that a socket's name has no room for.
    const std::string path = dir_.path() + "/" + std::string(200, 's');
    make_directory(path);
    meeting::JobFiles files(path);
    files.create_directories();
    files.create_guest(kId);
    return files;
  }
  meeting::TerminalLink come(const std::string& look) {
    auto link = meeting::connect_to_terminal(files_, kId);
    EXPECT_TRUE(link);
    link->send('A', look);
    link->flush();
    terminal_.serve();
    return std::move(*link);
  }
  void send(meeting::TerminalLink& link, char letter, const std::string& text) {
    link.send(letter, text);
    EXPECT_TRUE(link.flush());
    terminal_.serve();
  }
  /// What has come by now: outputs as they are, other letters in brackets; `gone` at the end.
  static std::string read(meeting::TerminalLink& link) {
    std::string text;
    for (;;) {
      const auto packet = link.receive();
      if (!packet) return text + "gone";
      if (packet->empty()) return text;
      text += packet->front() == 'O' ? std::string{packet->substr(1)} : "<" + std::string{*packet} + ">";
    }
  }
  /// What is typed next.
  std::string typed() {
    char buffer[65536];
    pollfd ready{slave_.get(), POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(kPatience * 1000)) <= 0) return "";
    const ssize_t n = ::read(slave_.get(), buffer, sizeof buffer);
    return n < 0 ? "" : std::string(buffer, static_cast<std::size_t>(n));
  }
  std::string window() {
    winsize size{};
    ::ioctl(slave_.get(), TIOCGWINSZ, &size);
    return std::to_string(size.ws_row) + "x" + std::to_string(size.ws_col);
  }

  static constexpr notation::JobId kId{77};
  TempDir dir_;
  meeting::JobFiles files_;
  test::ManualClock clock_;
  Terminal terminal_;
  UniqueFd slave_;
};

TEST_F(TerminalTest, OneWritesOthersWatchAndTakeOver) {
  // Input and window are those of the one who writes; when he goes the next who wants to follows.
  meeting::TerminalLink first = come("w 10 20");
  EXPECT_EQ(read(first), "<W>");
  meeting::TerminalLink watcher = come(" 5 5");
  meeting::TerminalLink second = come("w 30 40");
  EXPECT_EQ(read(watcher) + read(second), "<R><R>");
  send(second, 'I', "not heard");
  send(first, 'I', "heard");
  EXPECT_EQ(typed(), "heard");
  EXPECT_EQ(window(), "10x20");
  send(second, 'T', "");
  EXPECT_EQ(read(first) + read(second), "<R><W>");
  EXPECT_EQ(window(), "30x40");
  send(second, 'S', "31 41");
  EXPECT_EQ(window(), "31x41");
  terminal_.show("seen");
  EXPECT_EQ(read(first) + read(watcher) + read(second), "seenseenseen");
  second = come(" 1 1");  // the link that was there is gone
  terminal_.serve();
  EXPECT_EQ(read(first), "<W>");
  EXPECT_EQ(window(), "10x20");
}

TEST_F(TerminalTest, WhoComesLateSeesTheLastOfIt) {
  // Whole where it is short; else the modes that hold and the last 64 KiB, from the start of a line on.
  terminal_.show("\033[?1049hshort\n");
  meeting::TerminalLink first = come("w 24 80");
  EXPECT_EQ(read(first), "\033[?1049hshort\n<W>");
  std::string line(99, 'x');
  for (int i = 0; i < 2000; ++i) {
    terminal_.show(line + "\n");
    (void)read(first);
  }
  meeting::TerminalLink late = come("w 24 80");
  const std::string kept = read(late);
  EXPECT_TRUE(kept.starts_with("\033[?1049h<P") && kept.find(">\nxx") < 30) << kept.substr(0, 40);
  EXPECT_LE(kept.size(), 131072U + 20);
  EXPECT_GE(kept.size(), 65000U);
}

TEST_F(TerminalTest, OutputWaitsForTheFirstAndForTheWriterButNotForLong) {
  // While nobody has come only as much as is kept is read, for five seconds; so it is for one who does not
  // read.
  EXPECT_TRUE(terminal_.wants_output());
  terminal_.show(std::string(65536, 'a'));
  EXPECT_FALSE(terminal_.wants_output());
  clock_.advance(5);
  EXPECT_TRUE(terminal_.wants_output());
  meeting::TerminalLink link = come("w 24 80");
  (void)read(link);
  for (int i = 0; i < 400 && terminal_.wants_output(); ++i) {
    terminal_.show(std::string(16384, 'b'));
    terminal_.serve();
  }
  EXPECT_FALSE(terminal_.wants_output());
  clock_.advance(5);
  terminal_.serve();
  EXPECT_TRUE(terminal_.wants_output());
  // What he has missed he gets in the end.
  terminal_.show("last");
  std::string text;
  for (int i = 0; i < 20; ++i) {
    text += read(link);
    terminal_.serve();
  }
  EXPECT_TRUE(text.ends_with("last"));
}

TEST_F(TerminalTest, WhatIsTypedIsBounded) {
  // A task that reads nothing makes the writer wait, who can still be told to go.
  meeting::TerminalLink link = come("w 24 80");
  for (int i = 0; i < 100; ++i) send(link, 'I', std::string(16384, 'k'));
  std::vector<pollfd> fds;
  terminal_.watch(fds);
  EXPECT_GT(link.queued(), 500'000U);
  std::size_t taken = 0;
  while (taken < 100U * 16384) {
    const std::size_t some = typed().size();
    ASSERT_GT(some, 0U);
    taken += some;
    terminal_.serve();
    link.flush();
    terminal_.serve();
  }
  EXPECT_EQ(taken, 100U * 16384);
}

TEST_F(TerminalTest, AnOwnerWhoIsGoneIsTold) {
  // One who leaves is none.
  {
    meeting::TerminalLink link = come("wo 24 80");
    send(link, 'L', "");
  }
  terminal_.serve();
  EXPECT_FALSE(terminal_.owner_gone());
  { meeting::TerminalLink link = come("w 24 80"); }
  terminal_.serve();
  EXPECT_FALSE(terminal_.owner_gone());
  { meeting::TerminalLink link = come("wo 24 80"); }
  terminal_.serve();
  EXPECT_TRUE(terminal_.owner_gone());
}

TEST_F(TerminalTest, TheEndIsToldAndNobodyComesThen) {
  // With all that was shown; what nobody has seen is known.
  terminal_.show("unseen");
  EXPECT_EQ(terminal_.unseen(), "unseen");
  meeting::TerminalLink link = come("w 24 80");
  EXPECT_EQ(terminal_.unseen(), "");
  terminal_.show("end");
  terminal_.end();
  EXPECT_EQ(read(link), "unseen<W>end<E>gone");
  EXPECT_FALSE(meeting::connect_to_terminal(files_, kId));
}

TEST_F(TerminalTest, TheEndShowsAllToWhoHasComeByThen) {
  // Not yet accepted, with his first words or without; what one who has not spoken was shown counts as
  // unseen.
  terminal_.show("all of it");
  auto silent = meeting::connect_to_terminal(files_, kId);
  auto link = meeting::connect_to_terminal(files_, kId);
  ASSERT_TRUE(silent && link);
  terminal_.end();
  EXPECT_EQ(read(*silent), "all of it<E>gone");
  EXPECT_EQ(read(*link), "all of it<E>gone");
  EXPECT_EQ(terminal_.unseen(), "all of it");
}

TEST_F(TerminalTest, WhoSpeaksBeforeTheEndIsServedFirst) {
  // He has seen it, then.
  terminal_.show("all of it");
  auto link = meeting::connect_to_terminal(files_, kId);
  link->send('A', "w 24 80");
  link->flush();
  terminal_.end();
  EXPECT_EQ(read(*link), "all of it<W><E>gone");
  EXPECT_EQ(terminal_.unseen(), "");
}

TEST_F(TerminalTest, WhatNobodyReadsAnyMoreTakesNothingFromTheOtherEnd) {
  // Keys that the shell has not read when it closes, output that a looker has not read when he leaves.
  meeting::TerminalLink link = come("w 24 80");
  for (int i = 0; i < 80; ++i) {
    link.send('I', std::string(16384, 'k'));
    link.flush();
  }
  terminal_.serve();  // takes no more than is kept of what is typed
  terminal_.show("last");
  link.flush();
  terminal_.end();
  EXPECT_EQ(read(link), "<W>last<E>gone");
}

TEST_F(TerminalTest, AnOwnerWhoLeavesWhileOutputComesHasLeft) {
  // Also where the output finds him gone before his last word is read.
  {
    meeting::TerminalLink link = come("wo 24 80");
    link.send('I', "last words");
    link.send('L', "");
    link.flush();
  }
  terminal_.show("output");
  terminal_.serve();
  terminal_.serve();
  EXPECT_FALSE(terminal_.owner_gone());
  EXPECT_EQ(typed(), "last words");
}

TEST_F(TerminalTest, PacketsThatAreNoneChangeNothing) {
  // Of unknown letters, with wrong texts, twice, before the first.
  auto link = meeting::connect_to_terminal(files_, kId);
  for (const char* packet :
       {"I text", "T", "S 1 1", "x", "A", "A w", "Aw 24 80", "Aw 1 1", "S x", "S 0 0", "Iheard"}) {
    link->send(packet[0], packet + 1);
  }
  link->flush();
  terminal_.serve();
  EXPECT_EQ(read(*link), "<W>");
  EXPECT_EQ(window(), "24x80");
  EXPECT_EQ(typed(), "heard");
}

}  // namespace
}  // namespace fq::shell
