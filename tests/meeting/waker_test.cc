// The waker: it runs a tick when a shell dies or a time comes, and there is one of a store.

#include "meeting/waker.h"

#include <array>
#include <fstream>
#include <future>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include "process/start/detach.h"
#include "shell/shell_fixture.h"

namespace fq::shell {
namespace {

// Whether somebody waits for the lock of the file (proc(5), /proc/locks).
bool is_waited_for(const std::string& path) {
  struct stat info {};
  ::stat(path.c_str(), &info);
  const std::string inode = fmt::format(":{} ", info.st_ino);
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    if (line.find("->") != std::string::npos && line.find(inode) != std::string::npos) return true;
  }
  return false;
}

class WakerTest : public ShellTest {
 protected:
  WakerTest() { ticks_ = make_fifo("ticks"); }
  ~WakerTest() override {
    // The waker ends when its store is gone. A tick that nobody listens to must not hold it up.
    const UniqueFd listener{::open(ticks_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
    std::filesystem::remove_all(files_.alive_dir());
    EXPECT_TRUE(wait_for_end()) << "the waker does not end";
  }

  /// The tick: a script that does `work` in the store and then tells the test.
  void set_tick(const std::string& work) {
    write_file(files_.store() + "/fq-tick",
               "#!/bin/sh\ncd " + files_.store() + "\n" + work + "\necho tick $# > " + ticks_ + "\n", 0700);
  }
  /// Work of a tick that leaves jobs running and no timer.
  static constexpr auto kStillRunning =
      "printf '%-31s\\n' running > deadline.new; cat deadline.new > deadline";
  void start() { start_waker(files_.store(), /*clean=*/true, self_program()); }
  [[nodiscard]] bool wait_for_end() const {
    return FileLock::acquire(files_.store() + "/waker", LockMode::shared, kPatience).has_value();
  }
  std::string ticks_;
};

TEST_F(WakerTest, runs_a_tick_when_a_shell_dies) {
  // A shell that is killed is noticed at once; one that ends in order is not.
  set_tick("rm -f alive/*");
  set_deadline(files_.store(), std::nullopt, true);
  EXPECT_EQ(waker_need(files_.store()), WakerNeed::missing);
  start();
  EXPECT_EQ(waker_need(files_.store()), WakerNeed::none);
  const std::string fifo = make_fifo("up");
  EXPECT_EQ(run(TestJob::shell("true")).status, 0);
  TestJob job = TestJob::shell("echo > " + fifo + "; sleep 1000");
  job.attempt = 2;
  const pid_t shell = ShellTest::start(job);
  read_fifo(fifo);
  ::kill(shell, SIGKILL);
  EXPECT_EQ(read_fifo(ticks_), "tick 2");
  EXPECT_TRUE(lost_shells(files_).empty());
}

TEST_F(WakerTest, a_shell_that_died_before_is_found_at_the_start) {
  // A lock that is free when the waker comes is as good as one that becomes free.
  set_tick("rm -f alive/*");
  write_file(files_.alive(id_), "");
  set_deadline(files_.store(), std::nullopt, true);
  start();
  EXPECT_EQ(read_fifo(ticks_), "tick 2");
}

TEST_F(WakerTest, runs_a_tick_at_the_deadline) {
  // A timer that is set, or moved, wakes it at its time; then it waits for the next.
  set_tick(kStillRunning);
  const SystemClock clock;
  set_deadline(files_.store(), clock.boot_time() + 3600, true);
  start();
  const double soon = clock.boot_time() + 0.1;
  set_deadline(files_.store(), soon, true);
  EXPECT_EQ(read_fifo(ticks_), "tick 2");
  EXPECT_GE(clock.boot_time(), soon);
  EXPECT_TRUE(is_locked(files_.store() + "/waker"));
}

// A clock that jumps an hour ahead after each reading.
class HurryingClock final : public Clock {
 public:
  [[nodiscard]] double now() const override { return 0; }
  [[nodiscard]] double boot_time() const override { return SystemClock{}.boot_time() + 3600 * readings_++; }

 private:
  mutable double readings_ = 0;
};

TEST_F(WakerTest, what_comes_due_while_it_goes_to_sleep_wakes_it) {
  // Between the look at the deadline and the sleep the clock passes it: the tick comes all the same.
  set_tick(kStillRunning);
  set_deadline(files_.store(), SystemClock{}.boot_time() + 0.1, true);
  const HurryingClock clock;
  auto waker = std::async(std::launch::async,
                          [&] { return run_waker(files_.store(), files_.store() + "/fq-tick", clock); });
  const UniqueFd ticks{::open(ticks_.c_str(), O_RDWR | O_CLOEXEC)};
  pollfd tick{ticks.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&tick, 1, static_cast<int>(kPatience * 1000)), 1);
  std::filesystem::remove_all(files_.alive_dir());
  EXPECT_EQ(waker.get(), 0);
}

TEST_F(WakerTest, a_tick_that_does_not_help_is_tried_again_later) {
  // With the dead shell still there the tick is repeated after a pause, not in a hurry.
  set_tick("");
  write_file(files_.alive(id_), "");
  set_deadline(files_.store(), std::nullopt, true);
  start();
  const SystemClock clock;
  read_fifo(ticks_);
  const double first = clock.boot_time();
  read_fifo(ticks_);
  EXPECT_GE(clock.boot_time() - first, 0.9);
}

TEST_F(WakerTest, ends_when_the_store_is_idle_but_only_under_the_lock) {
  // Who finds `idle` waits for the store lock; what a committer wrote meanwhile keeps it.
  set_tick(kStillRunning);
  set_deadline(files_.store(), std::nullopt, true);
  const UniqueFd ticks{::open(ticks_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  start();
  const std::string lock = files_.store() + "/lock", waker = files_.store() + "/waker";
  auto committer = FileLock::acquire(lock, LockMode::exclusive, kPatience);
  ASSERT_TRUE(committer.has_value());
  set_deadline(files_.store(), std::nullopt, false);
  while (!is_waited_for(lock) && is_locked(waker)) continue;
  ASSERT_TRUE(is_locked(waker));
  set_deadline(files_.store(), SystemClock{}.boot_time(), true);
  committer->unlock();
  pollfd tick{ticks.get(), POLLIN, 0};
  while (::poll(&tick, 1, 10) == 0 && is_locked(waker)) continue;
  EXPECT_TRUE(is_locked(waker));
  set_deadline(files_.store(), std::nullopt, false);
  EXPECT_TRUE(wait_for_end());
}

TEST_F(WakerTest, there_is_one) {
  // While the first lives a second start does nothing, and one that is started all the same ends at once.
  set_tick("");
  set_deadline(files_.store(), std::nullopt, true);
  start();
  start();
  auto second = std::async(std::launch::async, [this] { return run_waker(files_.store()); });
  const bool ends = second.wait_for(std::chrono::seconds{10}) == std::future_status::ready;
  EXPECT_TRUE(ends);
  if (!ends) set_deadline(files_.store(), std::nullopt, false);
  // A program shows its arguments a moment after its exec.
  int wakers = 0;
  while (ends && wakers == 0) {
    for (const process::ProcessStat& process : process::read_processes()) {
      const auto name = read_file_if_exists(fmt::format("/proc/{}/cmdline", process.pid)).value_or("");
      if (name.starts_with("fq-waker") && name.find(files_.store()) != std::string::npos) ++wakers;
    }
  }
  EXPECT_EQ(wakers, 1);
}

TEST_F(WakerTest, a_clean_one_takes_the_place_of_an_unclean_one) {
  // The unclean one ends at once, in the middle of its sleep; a clean one is left alone.
  set_tick("");
  set_deadline(files_.store(), std::nullopt, true);
  const std::string path = files_.store() + "/waker";
  start_waker(files_.store(), /*clean=*/false, self_program());
  EXPECT_EQ(waker_need(files_.store()), WakerNeed::unclean);
  const UniqueFd unclean = open_file(path, O_RDONLY);
  start_waker(files_.store(), /*clean=*/false, self_program());
  EXPECT_EQ(waker_need(files_.store()), WakerNeed::unclean);
  start();
  EXPECT_EQ(waker_need(files_.store()), WakerNeed::none);
  EXPECT_TRUE(is_locked(path));
  EXPECT_EQ(::flock(unclean.get(), LOCK_SH), 0);  // waits for its end
}

TEST_F(WakerTest, one_that_is_replaced_before_it_runs_leaves_the_place) {
  // Its file is unlinked and there is no other yet: it makes none, which the one that replaces it would find
  // held.
  set_tick("");
  set_deadline(files_.store(), std::nullopt, true);
  const std::string path = files_.store() + "/waker";
  auto lock = FileLock::try_acquire(path, LockMode::exclusive);
  ASSERT_TRUE(lock);
  const UniqueFd its_lock = open_file(path, O_RDONLY);
  ::unlink(path.c_str());
  process::start_detached(self_program(), std::vector<std::string>{"fq-waker", "--store", files_.store()},
                          std::array{lock->fd()});
  lock->close();
  EXPECT_EQ(::flock(its_lock.get(), LOCK_SH), 0);  // waits for its end
  EXPECT_FALSE(exists(path));
}

TEST_F(WakerTest, the_deadline_file_changes_only_when_it_must) {
  // Writing the same again touches nothing, and each text takes the file whole.
  set_tick("");
  const std::string path = files_.store() + "/deadline";
  set_deadline(files_.store(), 1795257930.25, true);
  EXPECT_EQ(read_file(path), "1795257930.250000              \n");
  const UniqueFd watch{::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
  ::inotify_add_watch(watch.get(), path.c_str(), IN_MODIFY);
  set_deadline(files_.store(), 1795257930.25, false);
  char events[256];
  EXPECT_LT(::read(watch.get(), events, sizeof events), 0);
  set_deadline(files_.store(), std::nullopt, false);
  EXPECT_GT(::read(watch.get(), events, sizeof events), 0);
  EXPECT_EQ(read_file(path), "idle                           \n");
  EXPECT_EQ(waker_need(files_.store()), WakerNeed::none);
}

}  // namespace
}  // namespace fq::shell
