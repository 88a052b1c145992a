// What becomes of a job whose shell was killed.

#include <csignal>

#include <sched.h>
#include <sys/mount.h>

#include "meeting/task_record.h"
#include "process/tree/cgroup.h"
#include "process/tree/job_mark.h"
#include "shell/environment.h"
#include "shell/shell_fixture.h"

namespace fq::shell {
namespace {

class DeadShell : public ShellTest {};

TEST_F(DeadShell, R16_18_leaves_nothing_behind_once_it_is_found) {
  // After SIGKILL of the shell its lock is free, and kill_leftovers ends what its tasks had started: here
  // a descendant that double-forked, changed session and ignores SIGTERM.
  const std::string fifo = make_fifo("pid");
  const pid_t shell = start(TestJob::shell("echo $FLUX_JOB_TMPDIR > " + dir_.path() +
                                           "/tmpdir; (setsid sh -c \"trap '' TERM HUP; echo \\$\\$ > " +
                                           fifo + "; while :; do sleep 1000; done\" &); sleep 1000"));
  const pid_t stray = std::stoi(read_fifo(fifo));
  EXPECT_TRUE(meeting::shell_alive(files_, id_));
  ::kill(shell, SIGKILL);
  wait_for_shell();
  EXPECT_FALSE(meeting::shell_alive(files_, id_));
  EXPECT_EQ(meeting::lost_shells(files_), std::vector{id_});
  EXPECT_FALSE(meeting::recorded_outcome(files_, id_, 1).has_value());
  EXPECT_TRUE(meeting::any_task_started(files_, id_, 1));
  EXPECT_TRUE(lives(stray));
  EXPECT_GE(end_leftovers(), 1U);
  EXPECT_FALSE(lives(stray));
  meeting::remove_places(files_, id_);
  std::string tmpdir = read_file(dir_.path() + "/tmpdir");
  tmpdir.pop_back();
  EXPECT_FALSE(exists(tmpdir)) << tmpdir;
  EXPECT_TRUE(meeting::kill_leftovers(files_, id_, 1).empty());
}

TEST_F(DeadShell, tasks_die_with_their_shell) {
  // The tasks themselves do not outlast the shell: the kernel ends them with it.
  const std::string fifo = make_fifo("pid");
  const pid_t shell = start(TestJob::shell("echo $$ > " + fifo + "; exec sleep 1000"));
  const pid_t task = std::stoi(read_fifo(fifo));
  const auto stat = process::read_process_stat(task);
  ASSERT_TRUE(stat.has_value());
  const UniqueFd pidfd = process::open_process(*stat);
  ::kill(shell, SIGKILL);
  wait_for_shell();
  end_leftovers();
  EXPECT_FALSE(lives(task));
}

/// Mounts the unified hierarchy on `path`, out of sight of other processes. False where that is not allowed.
bool mount_cgroups(const std::string& path) {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("none", path.c_str(), "cgroup2", 0, nullptr) == 0;
}

TEST_F(DeadShell, a_control_group_finds_who_hides_from_everything_else) {
  // A descendant that cleared its environment, changed session and lost its parents is known by its group.
  make_directory(dir_.path() + "/cgroup");
  const std::string fifo = make_fifo("pid");
  const pid_t tester = ::fork();
  if (tester == 0) {
    if (!process::cgroup_directory("/") && !mount_cgroups(dir_.path() + "/cgroup")) ::_exit(77);
    const auto trial = process::make_job_cgroup({1}, 1);
    if (!trial) ::_exit(77);
    process::remove_job_cgroup(*trial);
    const pid_t shell = start(TestJob::shell("(setsid env -i sh -c \"trap '' TERM HUP; echo \\$\\$ > " +
                                             fifo + "; while :; do sleep 1000; done\" &); sleep 1000"));
    const pid_t stray = std::stoi(read_fifo(fifo));
    ::kill(shell, SIGKILL);
    wait_for_shell();
    const std::string group = meeting::decode_records(read_file(files_.tasks(id_))).places.back().path;
    const bool found = lives(stray) && exists(group);
    end_leftovers();
    meeting::remove_places(files_, id_);
    const bool gone = !lives(stray) && !exists(group);
    ::umount2((dir_.path() + "/cgroup").c_str(), MNT_DETACH);
    ::_exit(!found ? 1 : gone ? 0 : 2);
  }
  int status = 0;
  ::waitpid(tester, &status, 0);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no control group may be made here";
  EXPECT_EQ(status, 0);
}

TEST_F(DeadShell, only_groups_of_jobs_are_touched) {
  // A recorded path that is no job's control group gives no members and is not removed.
  make_directory(dir_.path() + "/fq-x");
  write_file(dir_.path() + "/fq-x/cgroup.procs", std::to_string(::getpid()));
  EXPECT_TRUE(process::job_cgroup_members(dir_.path() + "/fq-x").empty());
  EXPECT_TRUE(process::job_cgroup_members("/").empty());
  std::filesystem::remove(dir_.path() + "/fq-x/cgroup.procs");
  process::remove_job_cgroup(dir_.path() + "/fq-x");
  EXPECT_TRUE(exists(dir_.path() + "/fq-x"));
}

TEST_F(DeadShell, a_pid_that_was_given_again_is_not_killed) {
  // A recorded pid whose start time, or boot, is another one is somebody else's process.
  files_.create_guest(id_);
  const pid_t bystander = ::fork();
  if (bystander == 0) {
    ::pause();
    ::_exit(0);
  }
  const auto stat = process::read_process_stat(bystander);
  ASSERT_TRUE(stat.has_value());
  const std::string records =
      meeting::encode_record(meeting::TaskRecord{1, bystander, stat->start_time + 1, boot_id(), 0}) +
      meeting::encode_record(meeting::TaskRecord{1, bystander, stat->start_time, "another-boot", 0}) +
      meeting::encode_record(meeting::TaskRecord{2, bystander, stat->start_time, boot_id(), 0});
  write_file(files_.tasks(id_), records);
  EXPECT_TRUE(meeting::kill_leftovers(files_, id_, 1).empty());
  EXPECT_TRUE(lives(bystander));
  EXPECT_EQ(end_leftovers(files_, 2), 1U);
  EXPECT_FALSE(lives(bystander));
  ::waitpid(bystander, nullptr, 0);
}

TEST_F(DeadShell, a_job_of_the_same_id_in_another_store_lives_on) {
  // Two stores may give one id; a process is known by its store's identity, not by the id alone.
  make_directory(dir_.path() + "/other");
  const meeting::JobFiles other{dir_.path() + "/other"};
  EXPECT_NE(other.identity(), files_.identity());
  files_.create_guest(id_);
  const std::string fifo = make_fifo("up");
  const pid_t bystander = ::fork();
  if (bystander == 0) {
    const std::string mark =
        fmt::format("{}={}1", process::kMarkName, process::job_mark(other.identity(), id_));
    const std::string script = "echo up > " + fifo + "; exec sleep 1000";
    ::execl("/usr/bin/env", "env", mark.c_str(), "sh", "-c", script.c_str(), nullptr);
    ::_exit(127);
  }
  read_fifo(fifo);
  EXPECT_TRUE(meeting::kill_leftovers(files_, id_, 1).empty());
  EXPECT_TRUE(lives(bystander));
  other.create_guest(id_);
  EXPECT_EQ(end_leftovers(other, 1), 1U);
  ::waitpid(bystander, nullptr, 0);
}

TEST_F(DeadShell, control_groups_are_never_shared) {
  // Two attempts of one name, as two stores may have them, get a group each.
  const auto first = process::make_job_cgroup({1}, 1);
  if (!first) GTEST_SKIP() << "no control group may be made here";
  const auto second = process::make_job_cgroup({1}, 1);
  ASSERT_TRUE(second.has_value());
  EXPECT_NE(*first, *second);
  process::remove_job_cgroup(*first);
  process::remove_job_cgroup(*second);
  EXPECT_FALSE(exists(*first));
}

TEST_F(DeadShell, a_job_without_files_has_nothing_to_kill) {
  // A guest directory that is not there, or is damaged, is no error.
  EXPECT_TRUE(meeting::kill_leftovers(files_, id_, 1).empty());
  EXPECT_FALSE(meeting::any_task_started(files_, id_, 1));
  EXPECT_FALSE(meeting::recorded_outcome(files_, id_, 1).has_value());
  files_.create_guest(id_);
  write_file(files_.tasks(id_), "1 task x\n\n1\n99999999999 task 1 1 b 1\n1 task 1 2");
  write_file(files_.exec_eventlog(id_),
             "{\"timestamp\":1,\"name\":\"starting\",\"context\":{\"attempt\":1}}\nnoise\n{\"times");
  EXPECT_TRUE(meeting::kill_leftovers(files_, id_, 1).empty());
  EXPECT_FALSE(meeting::any_task_started(files_, id_, 1));
  EXPECT_FALSE(meeting::recorded_outcome(files_, id_, 1).has_value());
}

TEST_F(DeadShell, an_outcome_that_was_recorded_is_found) {
  // A shell that died after it recorded the outcome has lost nothing, exceptions included.
  TestJob job = TestJob::shell("while :; do sleep 1000 & wait $!; done");
  job.time_limit = 0.05;
  const meeting::ShellOutcome first = run(job);
  const auto again = meeting::recorded_outcome(files_, id_, 1);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(*again, first);
  EXPECT_EQ(exceptions(*again), "timelimit 0 resource allocation expired\n");
}

}  // namespace
}  // namespace fq::shell
