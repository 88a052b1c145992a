// What is found, and removed, of a job whose shell was killed.

#include "meeting/leftovers.h"

#include <csignal>
#include <thread>

#include <sched.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "meeting/session_log.h"
#include "meeting/task_record.h"
#include "meeting/tmpdir.h"
#include "process/tree/cgroup.h"
#include "process/tree/kill_rounds.h"
#include "shell/shell_fixture.h"

namespace fq::shell {
namespace {

class Leftovers : public ShellTest {
 protected:
  /// Runs `test` in a process from which no control group can be seen; it returns 0 for success.
  template <typename Test>
  static void without_control_groups(Test test) {
    const pid_t tester = ::fork();
    if (tester == 0) {
      if (const auto trial = process::make_job_cgroup({1}, 1)) {
        process::remove_job_cgroup(*trial);
        const bool alone =
            ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
        if (!alone) ::_exit(77);
        while (const auto mount = process::cgroup_directory("/")) {
          if (::umount2(mount->c_str(), MNT_DETACH) != 0) ::_exit(77);
        }
      }
      ::_exit(test());
    }
    int status = 0;
    ::waitpid(tester, &status, 0);
    if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "control groups cannot be put out of sight here";
    EXPECT_EQ(status, 0);
  }

  /// A script that starts, by `how`, a process which writes its pid to `fifo`; the shell's own task then
  /// waits.
  static std::string hidden(const std::string& how, const std::string& fifo) {
    return "(" + how + " sh -c \"trap '' TERM HUP; echo \\$\\$ > " + fifo +
           "; while :; do sleep 1000; done\" &); sleep 1000";
  }
};

TEST_F(Leftovers, R16_18_a_child_without_the_jobs_environment_is_found_by_its_session) {
  // It has lost its parents and its environment; the session is still the shell's.
  const std::string fifo = make_fifo("pid");
  without_control_groups([&] {
    const pid_t shell = start(TestJob::shell(hidden("env -i", fifo)));
    const pid_t stray = std::stoi(read_fifo(fifo));
    ::kill(shell, SIGKILL);
    wait_for_shell();
    if (!lives(stray)) return 1;
    end_leftovers();
    return lives(stray) ? 2 : 0;
  });
}

TEST_F(Leftovers, R16_18_a_child_in_a_session_of_its_own_is_found_once_the_shell_has_seen_it) {
  // The shell wrote the session down, though nothing told it of that.
  const std::string fifo = make_fifo("pid");
  without_control_groups([&] {
    const pid_t shell = start(TestJob::shell(hidden("setsid env -i", fifo)));
    const pid_t stray = std::stoi(read_fifo(fifo));
    const auto stat = process::read_process_stat(stray);
    const auto is_written = [&] {
      const TaskRecords records =
          decode_records(read_file_if_exists(sessions_path(files_, id_)).value_or(""));
      return std::any_of(records.sessions.begin(), records.sessions.end(),
                         [&](const SessionRecord& each) { return each.id == stat->session; });
    };
    while (!is_written()) pause_for(0.005);
    ::kill(shell, SIGKILL);
    wait_for_shell();
    if (!lives(stray)) return 1;
    end_leftovers();
    return lives(stray) ? 2 : 0;
  });
}

TEST_F(Leftovers, who_is_in_a_session_that_got_the_same_id_later_is_none) {
  // Nor who began before the session did, nor who is in another.
  const SessionRecord session{1, 100, 5000, "boot"};
  const auto process = [](pid_t pid, std::uint64_t start, pid_t in) {
    process::ProcessStat stat;
    stat.pid = pid;
    stat.start_time = start;
    stat.session = in;
    return stat;
  };
  EXPECT_TRUE(is_in_session(process(100, 5000, 100), session, {{100, 5000}}));
  EXPECT_TRUE(is_in_session(process(101, 5001, 100), session, {{100, 5000}, {101, 5001}}));
  EXPECT_TRUE(is_in_session(process(101, 5001, 100), session, {{101, 5001}}));  // its leader has ended
  EXPECT_FALSE(is_in_session(process(101, 5001, 102), session, {{100, 5000}}));
  EXPECT_FALSE(is_in_session(process(99, 4999, 100), session, {{100, 5000}}));
  EXPECT_FALSE(is_in_session(process(100, 9000, 100), session, {{100, 9000}}));
  EXPECT_FALSE(is_in_session(process(200, 9001, 100), session, {{100, 9000}}));
}

TEST_F(Leftovers, a_process_whose_first_thread_ended_lives) {
  // /proc shows it as a zombie while its other threads run.
  const std::string fifo = make_fifo("up");
  const pid_t child = ::fork();
  if (child == 0) {
    std::thread([fifo] {
      write_file(fifo, "up");
      ::pause();
    }).detach();
    ::syscall(SYS_exit, 0);  // of this thread alone
  }
  read_fifo(fifo);
  auto stat = process::read_process_stat(child);
  while (stat->state != 'Z') stat = process::read_process_stat(child);
  EXPECT_FALSE(stat->is_dead());
  EXPECT_TRUE(lives(*stat));
  files_.create_guest(id_);
  write_file(files_.tasks(id_), encode_record(TaskRecord{1, child, stat->start_time, boot_id(), 0}));
  EXPECT_EQ(kill_leftovers(files_, id_, 1), (std::vector<process::ProcessKey>{*stat}));
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(lives(*stat));
}

TEST_F(Leftovers, a_copy_of_the_files_knows_what_lives_and_forgets_what_directories_there_are) {
  // The mark in the environment is the original's. Directories that are forgotten no end of the job removes.
  // Shells of other tests are looked at, too: the id is nobody else's.
  id_ = notation::JobId{(std::uint64_t{1} << 40) + 2 * static_cast<std::uint64_t>(::getpid())};
  const std::string fifo = make_fifo("pid");
  const pid_t shell = start(TestJob::shell(hidden("env -i", fifo)));
  const pid_t stray = std::stoi(read_fifo(fifo));
  const TempDir other;
  const JobFiles copied{other.path()};
  copied.create_directories();
  std::filesystem::copy(files_.guest(id_), copied.guest(id_), std::filesystem::copy_options::recursive);
  const auto any = [](const std::string&) { return true; };
  EXPECT_TRUE(any_alive(copied, {{id_, 1}}, any));
  EXPECT_FALSE(any_alive(copied, {}, any));
  EXPECT_FALSE(any_alive(copied, {{{id_.value + 1}, 1}}, any));
  forget_places(copied, id_);
  const TaskRecords kept = decode_records(read_file(copied.tasks(id_)));
  const TaskRecords before = decode_records(read_file(files_.tasks(id_)));
  EXPECT_TRUE(kept.places.empty());
  EXPECT_FALSE(before.places.empty());
  EXPECT_EQ(kept.tasks, before.tasks);
  EXPECT_EQ(kept.sessions, before.sessions);
  ::kill(shell, SIGKILL);
  wait_for_shell();
  EXPECT_TRUE(lives(stray));
  EXPECT_TRUE(any_alive(copied, {{id_, 1}}, any));
  end_leftovers();
  EXPECT_FALSE(any_alive(copied, {{id_, 1}}, any));
}

TEST_F(Leftovers, a_shell_of_the_same_id_is_a_copy_s_where_its_store_is_the_original) {
  // Ids count from a store's making: those of different stores meet. The shell is stopped at its first step.
  const std::string id = notation::to_dothex(id_);
  const pid_t shell = ::fork();
  if (shell == 0) {
    ::ptrace(PTRACE_TRACEME);
    ::execl("/bin/true", "fq-shell", "--store", "/there", id.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(shell, &status, 0);
  ASSERT_TRUE(WIFSTOPPED(status));
  const auto there = [](const std::string& store) { return store == "/there"; };
  const auto nowhere = [](const std::string&) { return false; };
  EXPECT_TRUE(any_alive(files_, {{id_, 1}}, there));
  EXPECT_FALSE(any_alive(files_, {{id_, 1}}, nowhere));
  EXPECT_FALSE(any_alive(files_, {{{id_.value + 1}, 1}}, there));
  ::kill(shell, SIGKILL);
  ::waitpid(shell, nullptr, 0);
  EXPECT_FALSE(any_alive(files_, {{id_, 1}}, there));
}

TEST_F(Leftovers, all_jobs_are_tested_against_the_same_two_looks) {
  // What began behind them is not seen by them, and is by those of the next.
  ProcessLooks looks;
  EXPECT_TRUE(kill_leftovers(files_, id_, 1, looks).empty());
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const auto stat = process::read_process_stat(child);
  files_.create_guest(id_);
  write_file(files_.tasks(id_), encode_record(TaskRecord{1, child, stat->start_time, boot_id(), 0}));
  EXPECT_TRUE(kill_leftovers(files_, id_, 1, looks).empty());
  EXPECT_EQ(kill_leftovers(files_, id_, 1), (std::vector<process::ProcessKey>{*stat}));
  ::waitpid(child, nullptr, 0);
}

TEST_F(Leftovers, killing_again_takes_its_time_and_has_an_end_where_the_rules_say_so) {
  // After the grace, then after twice as long, at most 300 s; the last kill has its pause, too.
  process::KillRounds rounds;
  const process::KillRules rules{100, 3};
  EXPECT_TRUE(rounds.is_due(1000));
  EXPECT_FALSE(rounds.are_over(rules));
  rounds.begin(rules, 1000);
  EXPECT_FALSE(rounds.is_due(1099));
  EXPECT_TRUE(rounds.is_due(1100));
  rounds.begin(rules, 1100);
  EXPECT_EQ(rounds.next, 1300);
  rounds.begin(rules, 1300);
  EXPECT_EQ(rounds.next, 1600);
  EXPECT_TRUE(rounds.are_over(rules));
  EXPECT_FALSE(rounds.are_over({100, 0}));
  EXPECT_EQ(process::unkillable_note(1, 1), "1 process was left after 1 kill attempt");
  EXPECT_EQ(process::unkillable_note(2, 3), "2 processes were left after 3 kill attempts");
}

TEST_F(Leftovers, directories_are_recorded_before_they_are_made) {
  // Whoever dies in between leaves none that nobody knows of.
  std::string recorded;
  const std::string made =
      process::make_recorded_directory(dir_.path() + "/fq-x-", [&](const std::string& path) {
        recorded = path;
        EXPECT_FALSE(exists(path));
      });
  EXPECT_EQ(made, recorded);
  EXPECT_TRUE(exists(made));
  EXPECT_EQ(process::make_recorded_directory(dir_.path() + "/missing/fq-x-", {}), "");
}

TEST_F(Leftovers, the_last_attempt_removes_the_directories_of_those_before) {
  // An attempt that died had written down what it made.
  files_.create_guest(id_);
  const std::string left = process::make_recorded_directory(dir_.path() + "/fq-left-", {});
  write_file(left + "/file", "x");
  write_file(files_.tasks(id_), encode_record(PlaceRecord{1, PlaceRecord::Kind::tmpdir, left}));
  TestJob job;
  job.attempt = 2;
  EXPECT_EQ(run(job).status, 0);
  EXPECT_FALSE(exists(left));
}

}  // namespace
}  // namespace fq::shell
