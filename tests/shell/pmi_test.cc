#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shell/pmi/server.h"
#include "shell/pmi/wire.h"

namespace fq::shell::pmi {
namespace {

std::string show(const std::optional<Message>& message) {
  if (!message) return "none";
  std::string text;
  for (const char* key : {"cmd", "kvsname", "key", "value", "rc"}) {
    if (const auto value = message->find(key)) text += std::string{key} + "<" + std::string{*value} + ">";
  }
  return text;
}

TEST(PmiWire, MessagesAreReadInAnyOrderAndWithMore) {
  // Each line, and what is found in it; a value runs to the end of the line.
  const std::pair<std::string, std::string> cases[] = {
      {"cmd=get kvsname=k key=a", "cmd<get>kvsname<k>key<a>"},
      {"  key=a\tcmd=get   other=1 kvsname=k \r", "cmd<get>kvsname<k>key<a>"},
      {"cmd=put key=a value=b c=d  e ", "cmd<put>key<a>value<b c=d  e >"},
      {"cmd=put value=", "cmd<put>value<>"},
      {"cmd= key=", "cmd<>key<>"},
      {"cmd=a=b", "cmd<a=b>"},
      {"", "none"},
      {"   ", "none"},
      {"cmd", "none"},
      {"cmd get", "none"},
      {"=x", "none"},
      {"cmd=get key", "none"},
  };
  for (const auto& [line, shown] : cases) EXPECT_EQ(show(Message::decode(line)), shown) << line;
}

TEST(PmiWire, NumbersAreWholeOrNone) {
  // What does not fit or has more behind it is none.
  const auto number = [](const std::string& text) {
    return Message::decode("rc=" + text)->find_number("rc");
  };
  EXPECT_EQ(number("-1"), -1);
  EXPECT_EQ(number("2147483647"), 2147483647);
  for (const char* text : {"", "x", "1x", "2147483648", "0x1", "1.0"})
    EXPECT_EQ(number(text), std::nullopt) << text;
}

TEST(PmiWire, LinesAreCutAndEndlessOnesAreBroken) {
  // However they come.
  Lines lines;
  lines.add("a\nb");
  EXPECT_EQ(lines.next(), "a");
  EXPECT_EQ(lines.next(), std::nullopt);
  lines.add("c\n\n");
  EXPECT_EQ(lines.next(), "bc");
  EXPECT_EQ(lines.next(), "");
  lines.add(std::string(Lines::kMaxLine, 'x'));
  EXPECT_FALSE(lines.is_broken());
  lines.add("x");
  EXPECT_TRUE(lines.is_broken());
}

class PmiTasks {
 public:
  explicit PmiTasks(std::uint32_t size) : server_(size, "name", "(vector,(0,1,2))") {
    for (std::uint32_t i = 0; i < size; ++i) sockets_.push_back(server_.add_task());
  }

  void send(std::size_t task, const std::string& text) {
    ASSERT_EQ(::write(sockets_[task].get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  /// What the task has been answered by now; `closed` at the end.
  std::string read(std::size_t task) {
    std::vector<pollfd> fds;
    server_.watch(fds);
    ::poll(fds.data(), fds.size(), 0);
    server_.serve(fds);
    std::array<char, 65536> buffer{};
    const ssize_t n = ::recv(sockets_[task].get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n == 0) return "closed";
    return n < 0 ? "" : std::string(buffer.data(), static_cast<std::size_t>(n));
  }
  std::string ask(std::size_t task, const std::string& text) {
    send(task, text);
    return read(task);
  }
  Server& server() { return server_; }
  void close(std::size_t task) { sockets_[task].reset(); }

 private:
  Server server_;
  std::vector<UniqueFd> sockets_;
};

constexpr auto kInit = "cmd=init pmi_version=1 pmi_subversion=1\n";

TEST(PmiServer, ABarrierOpensWhenAllHaveCome) {
  // Not for one that comes twice, nor earlier; those that came are let out together, and once.
  PmiTasks tasks(3);
  for (std::size_t i = 0; i < 3; ++i) (void)tasks.ask(i, kInit);
  EXPECT_EQ(tasks.ask(0, "cmd=barrier_in\n"), "");
  EXPECT_EQ(tasks.ask(0, "cmd=barrier_in\n"), "");
  EXPECT_EQ(tasks.ask(1, "cmd=barrier_in\n"), "");
  EXPECT_EQ(tasks.ask(2, "cmd=barrier_in\n"), "cmd=barrier_out rc=0\n");
  EXPECT_EQ(tasks.read(0), "cmd=barrier_out rc=0\n");
  EXPECT_EQ(tasks.read(1), "cmd=barrier_out rc=0\n");
  EXPECT_EQ(tasks.ask(0, "cmd=barrier_in\n"), "");
}

TEST(PmiServer, WhatItTakesIsBounded) {
  // More than a task may put is refused, and what does not read its answers is not read.
  PmiTasks tasks(1);
  (void)tasks.ask(0, kInit);
  const std::string value(1000, 'v');
  std::string answer;
  for (int i = 0; i < 2000 && answer.find("rc=-1") == std::string::npos; ++i)
    answer = tasks.ask(0, "cmd=put kvsname=name key=k" + std::to_string(i) + " value=" + value + "\n");
  EXPECT_EQ(answer, "cmd=put_result rc=-1 msg=too_much\n");
  EXPECT_EQ(tasks.ask(0, "cmd=get kvsname=name key=k0\n").size(), value.size() + 39);
}

TEST(PmiServer, WhoDoesNotKeepToTheProtocolIsCutOff) {
  // The first one is told of; the others are served.
  PmiTasks tasks(2);
  EXPECT_EQ(tasks.ask(1, "cmd=get_maxes\n"), "closed");
  ASSERT_TRUE(tasks.server().aborted());
  EXPECT_EQ(tasks.server().aborted()->rank, 1U);
  EXPECT_EQ(tasks.server().aborted()->reason, "sent 'get_maxes' before it began");
  EXPECT_EQ(tasks.ask(0, kInit), "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
  EXPECT_EQ(tasks.ask(0, "nonsense\n"), "closed");
  EXPECT_EQ(tasks.server().aborted()->rank, 1U);
}

TEST(PmiServer, ATaskThatGoesIsNoFault) {
  // It may end without a word, or in the middle of one.
  PmiTasks tasks(2);
  tasks.send(0, "cmd=ini");
  tasks.close(0);
  EXPECT_EQ(tasks.ask(1, kInit), "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
  EXPECT_FALSE(tasks.server().aborted());
}

}  // namespace
}  // namespace fq::shell::pmi
