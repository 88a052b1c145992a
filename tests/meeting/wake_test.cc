// Waiting commands.

#include "meeting/wake.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "shell/shell_fixture.h"

namespace fq::shell {
namespace {

using notation::JobId;

// Shorter than the backstop, at which a waiter looks though nobody woke it.
constexpr double kWoken = 4;

class Wake : public ShellTest {
 protected:
  [[nodiscard]] std::size_t wake_files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(files_.wake_dir())) ++count;
    return count;
  }
  static void touch(const JobFiles& files, JobId id) { touch_waiters(files, std::span(&id, 1)); }
};

TEST_F(Wake, a_waiter_wakes_for_its_own_jobs_only) {
  // A change of a job wakes who waits for it, or for any; changes that came before the sleep count.
  const JobId ids[] = {{1}, {2}};
  Waiter waiter(files_, ids);
  Waiter any(files_, {});
  EXPECT_FALSE(waiter.wait(0));
  touch(files_, {2});
  EXPECT_TRUE(waiter.wait(kWoken));
  EXPECT_FALSE(waiter.wait(0));
  EXPECT_TRUE(any.wait(kWoken));
  touch(files_, {3});
  EXPECT_FALSE(waiter.wait(0));
  EXPECT_TRUE(any.wait(kWoken));
  touch(files_, {1});
  touch(files_, {1});
  EXPECT_TRUE(waiter.wait(kWoken));
}

TEST_F(Wake, what_a_process_of_the_same_pid_left_is_in_nobody_s_way) {
  // It was killed, and nothing was committed since.
  const JobId id{1};
  write_file(fmt::format("{}/{}.{}", files_.wake_dir(), notation::to_dothex(id), ::getpid()), "");
  Waiter waiter(files_, std::span(&id, 1));
  EXPECT_FALSE(waiter.wait(0));
  touch(files_, id);
  EXPECT_TRUE(waiter.wait(0.5));  // at once: who has no FIFO looks after a second
}

TEST_F(Wake, what_nobody_reads_goes_though_its_pid_is_in_use) {
  // By another process, or by a dead one of which nobody has taken notice.
  const JobId id{1};
  const std::string left = fmt::format("{}/{}.1", files_.wake_dir(), notation::to_dothex(id));
  ASSERT_EQ(::mkfifo(left.c_str(), 0600), 0);
  Waiter waiter(files_, std::span(&id, 1));
  EXPECT_EQ(wake_files(), 2U);
  touch(files_, id);
  EXPECT_EQ(wake_files(), 1U);
  EXPECT_TRUE(waiter.wait(0));
}

TEST_F(Wake, who_has_no_fifo_looks_every_second) {
  // As on a full disk.
  remove_tree(files_.wake_dir());
  write_file(files_.wake_dir(), "");
  const JobId id{1};
  Waiter waiter(files_, std::span(&id, 1));
  EXPECT_FALSE(waiter.wait(0.1));
  EXPECT_TRUE(waiter.wait(kWoken));
  EXPECT_TRUE(waiter.jobs_may_have_changed());
}

TEST_F(Wake, files_go_with_their_waiter) {
  // A waiter's files are removed at its end, those of a killed process by the next committer.
  const JobId id{1};
  {
    const Waiter waiter(files_, std::span(&id, 1));
    EXPECT_EQ(wake_files(), 1U);
  }
  EXPECT_EQ(wake_files(), 0U);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  write_file(fmt::format("{}/{}.{}", files_.wake_dir(), notation::to_dothex(id), child), "");
  write_file(files_.wake_dir() + "/noise", "");
  touch(files_, {2});  // the job that it waited for may never change again
  EXPECT_EQ(wake_files(), 1U);
}

TEST_F(Wake, who_follows_a_job_s_files_wakes_for_its_shell_s_word) {
  // Of that job, and only who asked; the jobs are not said to have changed. The FIFO goes with the waiter.
  {
    const JobId id{1};
    Waiter waiter(files_, std::span(&id, 1));
    touch_followers(files_, id, 0);
    EXPECT_FALSE(waiter.wait(0));
    waiter.watch_guest();
    waiter.watch_guest();
    EXPECT_EQ(wake_files(), 2U);
    touch_followers(files_, {2}, 0);
    EXPECT_FALSE(waiter.wait(0));
    touch_followers(files_, id, 0);
    EXPECT_TRUE(waiter.wait(kWoken));
    EXPECT_FALSE(waiter.jobs_may_have_changed());
    EXPECT_FALSE(waiter.wait(0));
    touch(files_, id);
    EXPECT_TRUE(waiter.wait(kWoken));
    EXPECT_TRUE(waiter.jobs_may_have_changed());
  }
  EXPECT_EQ(wake_files(), 0U);
}

TEST_F(Wake, who_follows_the_files_of_a_user_s_jobs_hears_of_no_other_s) {
  Waiter any(files_, {});
  any.watch_guest(7);
  touch_followers(files_, {1}, 8);
  EXPECT_FALSE(any.wait(0));
  touch_followers(files_, {2}, 7);
  EXPECT_TRUE(any.wait(kWoken));
  EXPECT_FALSE(any.jobs_may_have_changed());
  EXPECT_EQ(any.files(), 2U);
}

TEST_F(Wake, a_shell_tells_of_what_its_tasks_write) {
  // While the task runs on: a follower wakes, and finds what it wrote.
  Waiter waiter(files_, std::span(&id_, 1));
  waiter.watch_guest();
  const std::string go = make_fifo("go");
  start(TestJob::shell("echo word; read line < " + go));
  while (read_file_if_exists(files_.output(id_)).value_or("").find("word") == std::string::npos) {
    ASSERT_TRUE(waiter.wait(kWoken));
  }
  write_file(go, "\n");
  wait_for_shell();
}

TEST_F(Wake, all_who_wait_for_a_job_are_woken_where_many_changed) {
  // Nobody asks which.
  const JobId id{1};
  Waiter waiter(files_, std::span(&id, 1));
  Waiter any(files_, {});
  touch_all_waiters(files_);
  EXPECT_TRUE(waiter.wait(kWoken));
  EXPECT_TRUE(any.wait(kWoken));
}

TEST_F(Wake, a_commit_that_changed_no_job_wakes_nobody) {
  Waiter any(files_, {});
  touch_waiters(files_, {});
  EXPECT_FALSE(any.wait(0));
}

TEST_F(Wake, many_jobs_are_waited_for_with_one_file) {
  // Beyond kMaxFiles ids a waiter wakes at any change.
  std::vector<JobId> ids;
  for (std::uint64_t i = 1; i <= Waiter::kMaxFiles + 1; ++i) ids.push_back({i});
  Waiter waiter(files_, ids);
  EXPECT_EQ(wake_files(), 1U);
  touch(files_, {7});
  EXPECT_TRUE(waiter.wait(kWoken));
}

TEST_F(Wake, the_end_of_a_shell_wakes_its_waiter) {
  // A waiter notices that the shell of its job was killed, though nobody commits anything.
  Waiter waiter(files_, std::span(&id_, 1));
  const std::string fifo = make_fifo("up");
  const pid_t shell = start(TestJob::shell("echo > " + fifo + "; sleep 1000"));
  read_fifo(fifo);
  EXPECT_FALSE(waiter.wait(0));
  ::kill(shell, SIGKILL);
  wait_for_shell();
  EXPECT_TRUE(waiter.wait(kWoken));
}

TEST_F(Wake, a_short_time_out_is_kept) {
  // Without a change the wait ends false at its time.
  Waiter waiter(files_, std::span(&id_, 1));
  const SystemClock clock;
  const double before = clock.boot_time();
  EXPECT_FALSE(waiter.wait(0.05));
  EXPECT_GE(clock.boot_time() - before, 0.049);
}

}  // namespace
}  // namespace fq::shell
