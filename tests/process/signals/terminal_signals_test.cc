#include "process/signals/terminal_signals.h"

#include <csignal>
#include <thread>

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

namespace fq::process {
namespace {

// A thread that lets all signals through, as a library may have started one, and sleeps.
class OtherThread {
 public:
  OtherThread() {
    [[maybe_unused]] const int made = ::pipe(ends_);
    thread_ = std::thread([this] {
      char byte;
      [[maybe_unused]] const ssize_t n = ::read(ends_[0], &byte, 1);
    });
  }
  ~OtherThread() {
    ::close(ends_[1]);
    thread_.join();
    ::close(ends_[0]);
  }
  OtherThread(const OtherThread&) = delete;
  OtherThread& operator=(const OtherThread&) = delete;

 private:
  int ends_[2] = {-1, -1};
  std::thread thread_;
};

TEST(TerminalSignals, ComeToWhoTakesThemWhateverThreadsThereAre) {
  // The kernel gives them to the other thread, in which WINCH would be lost and TERM would end the process.
  const OtherThread other;
  TerminalSignals signals;
  for (const int number : {SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT}) {
    ASSERT_EQ(::kill(::getpid(), number), 0);
    pollfd ready{signals.fd(), POLLIN, 0};
    ASSERT_EQ(::poll(&ready, 1, 60'000), 1) << number;
    EXPECT_EQ(signals.take(), number);
  }
  EXPECT_EQ(signals.take(), 0);
}

TEST(TerminalSignals, HaveTheirEffectAgainAfterwards) {
  // What was set before is set again.
  static volatile std::sig_atomic_t noted = 0;
  struct sigaction action {
  }, before{};
  action.sa_handler = [](int number) { noted = number; };
  ::sigaction(SIGWINCH, &action, &before);
  {
    const TerminalSignals signals;
    ::raise(SIGWINCH);
    EXPECT_EQ(noted, 0);
  }
  ::raise(SIGWINCH);
  EXPECT_EQ(noted, SIGWINCH);
  ::sigaction(SIGWINCH, &before, nullptr);
}

}  // namespace
}  // namespace fq::process
