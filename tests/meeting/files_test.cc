// The small files of a running job: control, tasks, launch.json, the alive lock, files that grow.

#include <csignal>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "meeting/append_file.h"
#include "meeting/control.h"
#include "meeting/task_record.h"
#include "process/signals/signal_block.h"
#include "shell/shell_fixture.h"

namespace fq::shell {
namespace {

class JobFilesTest : public ShellTest {};

TEST_F(JobFilesTest, paths_are_absolute_and_named_by_dothex) {
  // A store given by a relative path, or with a slash at its end, gives the same absolute paths.
  const JobFiles files("some/store/");
  EXPECT_EQ(files.store(), std::filesystem::current_path().string() + "/some/store");
  EXPECT_EQ(JobFiles("/s").alive(id_), "/s/alive/0017.e9fb.8df1.6c2e");
  EXPECT_EQ(JobFiles("/s").output(id_), "/s/guest/0017.e9fb.8df1.6c2e/output");
  EXPECT_EQ(JobFiles("/s").data(id_), "/s/data/0017.e9fb.8df1.6c2e");
}

TEST_F(JobFilesTest, control_orders_come_back) {
  // Orders are read once, in their order; what is no order, or not whole, is not taken for one.
  files_.create_guest(id_);
  ControlReader reader(files_, id_);
  EXPECT_TRUE(reader.read().empty());
  write_control(files_, id_, ControlSignal{15});
  write_control(files_, id_, ControlSignal{10, "0,2-3"});
  write_control(files_, id_, ControlEpilogSignal{9});
  write_control(files_, id_, ControlExpiration{1795257930.5});
  write_control(files_, id_, ControlCancel{});
  EXPECT_EQ(reader.read(),
            (std::vector<ControlOrder>{ControlSignal{15}, ControlSignal{10, "0,2-3"}, ControlEpilogSignal{9},
                                       ControlExpiration{1795257930.5}, ControlCancel{}}));
  EXPECT_TRUE(reader.read().empty());
  const UniqueFd fd{::open(files_.control(id_).c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)};
  write_all(fd.get(), "signal 0\nsignal 65\nsignal x\nexpiration -1\nexpiration nan\nstop\n\ncan", "control");
  EXPECT_TRUE(reader.read().empty());
  write_all(fd.get(), "cel\n" + std::string(100'000, 'x') + "\nsignal 9\n", "control");
  EXPECT_EQ(reader.read(), (std::vector<ControlOrder>{ControlCancel{}, ControlSignal{9}}));
}

TEST_F(JobFilesTest, an_order_that_was_cut_is_none) {
  // What a write that failed left of an order is not taken for another one, and spoils none that follows.
  files_.create_guest(id_);
  ControlReader reader(files_, id_);
  for (const char* part : {"can", "cancel", "signal 1", "signal", "signal 15 0-2", "signal 15 ",
                           "epilog-signal 1", "expiration 1795", "expiration"}) {
    const UniqueFd fd{::open(files_.control(id_).c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)};
    write_all(fd.get(), part, "control");
    write_control(files_, id_, ControlSignal{10});
    EXPECT_EQ(reader.read(), std::vector<ControlOrder>{ControlSignal{10}}) << part;
    EXPECT_FALSE(cancel_ordered(files_, id_));
  }
}

TEST_F(JobFilesTest, orders_have_room_before_they_are_given) {
  // From the start of an attempt on, and after each order, the file has blocks behind its end; no order is
  // lost to that.
  files_.create_guest(id_);
  const auto room = [&] {
    struct stat status {};
    EXPECT_EQ(::stat(files_.control(id_).c_str(), &status), 0);
    return status.st_blocks * 512 - status.st_size;
  };
  write_control(files_, id_, ControlCancel{});
  prepare_control(files_, id_, false);
  EXPECT_TRUE(cancel_ordered(files_, id_));
  EXPECT_GE(room(), 2048);
  for (int i = 0; i < 500; ++i) write_control(files_, id_, ControlSignal{10, "0,2-3"});
  EXPECT_GE(room(), 2048);
  prepare_control(files_, id_, true);
  EXPECT_FALSE(cancel_ordered(files_, id_));
  EXPECT_GE(room(), 2048);
}

TEST_F(JobFilesTest, what_was_ordered_can_be_asked) {
  // The last time limit counts, a cancel counts for ever.
  EXPECT_FALSE(expiration_ordered(files_, id_, 0));
  files_.create_guest(id_);
  write_control(files_, id_, ControlExpiration{100.5});
  write_control(files_, id_, ControlCancel{});
  write_control(files_, id_, ControlExpiration{0});
  write_control(files_, id_, ControlSignal{10});
  EXPECT_TRUE(expiration_ordered(files_, id_, 0));
  EXPECT_FALSE(expiration_ordered(files_, id_, 100.5));
  EXPECT_TRUE(cancel_ordered(files_, id_));
}

TEST_F(JobFilesTest, an_order_to_a_job_that_is_gone_says_so) {
  // Without a guest directory nothing is written, and the caller hears it.
  EXPECT_FALSE(write_control(files_, id_, ControlCancel{}));
}

TEST_F(JobFilesTest, an_order_may_come_between_commit_and_start) {
  // Who cancels a job whose starter holds the lock but has not made the guest directory is heard all the
  // same.
  FileLock alive = take_alive(files_, id_);
  EXPECT_TRUE(write_control(files_, id_, ControlCancel{}));
  const LaunchPlan plan = plan_for(TestJob::shell("sleep 1000"));
  prepare_guest(files_, plan, 1.0);
  start_shell(files_, plan, std::move(alive), self_program());
  EXPECT_EQ(outcome().status, 143 << 8);
}

TEST_F(JobFilesTest, records_come_back) {
  // Records of tasks, sessions and directories decode to what was encoded; a torn line is passed over.
  const TaskRecord task{2, 4711, 123456, "boot", 7};
  const PlaceRecord tmpdir{2, PlaceRecord::Kind::tmpdir, "/tmp/with space"};
  const PlaceRecord cgroup{3, PlaceRecord::Kind::cgroup, "/sys/fs/cgroup/fq-1.3"};
  const SessionRecord session{2, 4700, 123400, "boot"};
  const TaskRecords records =
      decode_records(encode_record(session) + encode_record(task) + encode_record(tmpdir) +
                     encode_record(cgroup) + "2 session 0 1 b\n2 session 1 b\n2 task 1 1 b");
  EXPECT_EQ(records.sessions, std::vector{session});
  EXPECT_EQ(records.tasks, std::vector{task});
  EXPECT_EQ(records.places, (std::vector{tmpdir, cgroup}));
}

TEST_F(JobFilesTest, launch_plans_of_earlier_versions_are_understood) {
  // Those that knew no shares of users, no numbers of stores, no signals to choose.
  const LaunchPlan plan = decode_launch(
      R"({"version":1,"id":7,"attempt":2,"userid":1000,"jobspec":"{}","R":"{}","time":1.5,"boot_time":2.5,)"
      R"("expiration":0,"kill_grace_s":5,"boot_id":"b","signed":{"store":"fq","J":"a.b.c","index":3,)"
      R"("values":"dg==","proof":"cA=="}})");
  EXPECT_EQ(plan.signed_start, (SignedStart{"fq", "a.b.c", 3, "v", "p"}));
  EXPECT_EQ(plan.signed_start->number, 0U);
  EXPECT_EQ(plan.most_output, std::nullopt);
  EXPECT_EQ(plan.attempt, 2U);
  EXPECT_EQ(plan.term_signal, LaunchPlan{}.term_signal);
}

TEST_F(JobFilesTest, launch_plans_come_back) {
  // A plan decodes to what was encoded, and a damaged one is refused with its key.
  LaunchPlan plan = plan_for(TestJob{});
  plan.expiration = 1795257930.25;
  plan.baseline = "{}";
  plan.id = {0xffffffffffffffff};
  EXPECT_EQ(decode_launch(encode_launch(plan)), plan);
  plan.signed_start = SignedStart{"store", "a.b.c", 7, std::string("\0\xff", 2), "proof", 1700000000123};
  EXPECT_EQ(decode_launch(encode_launch(plan)), plan);
  const std::pair<const char*, const char*> cases[] = {
      {"{}", "launch: missing key 'version'"},
      {R"({"version":2})", "launch.version: expected 1"},
      {R"({"version":1,"id":-1})", "launch.id: expected a job id"},
      {R"({"version":1,"id":1,"attempt":0})",
       "launch.attempt: expected an integer from 1 to 4294967295, got 0"},
  };
  for (const auto& [text, message] : cases) {
    try {
      (void)decode_launch(text);
      ADD_FAILURE() << text;
    } catch (const Error& failure) {
      EXPECT_STREQ(failure.what(), message);
    }
  }
}

TEST_F(JobFilesTest, R16_10_preparing_twice_is_harmless) {
  // The guest namespace is seeded once with `init`; orders to this attempt stay, those to an earlier one go.
  const LaunchPlan plan = plan_for(TestJob{});
  prepare_guest(files_, plan, 1000.5);
  write_control(files_, id_, ControlCancel{});
  prepare_guest(files_, plan, 2000.5);
  EXPECT_EQ(read_file(files_.exec_eventlog(id_)), "{\"timestamp\":1000.5,\"name\":\"init\"}\n");
  EXPECT_EQ(read_launch(files_, id_), plan);
  EXPECT_EQ(ControlReader(files_, id_).read().size(), 1U);
  LaunchPlan next = plan;
  next.attempt = 2;
  prepare_guest(files_, next, 3000.5);
  EXPECT_TRUE(ControlReader(files_, id_).read().empty());
  struct stat info {};
  ::stat(files_.guest(id_).c_str(), &info);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
  ::stat(files_.launch(id_).c_str(), &info);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
}

TEST_F(JobFilesTest, the_alive_lock_has_no_gap) {
  // From the taking of the lock on the job is alive: while the starter holds it, while the shell does.
  EXPECT_FALSE(shell_alive(files_, id_));
  const std::string fifo = make_fifo("go");
  FileLock alive = take_alive(files_, id_);
  EXPECT_TRUE(shell_alive(files_, id_));
  EXPECT_TRUE(lost_shells(files_).empty());
  EXPECT_THROW((void)take_alive(files_, id_), Error);
  const LaunchPlan plan = plan_for(TestJob::shell("cat " + fifo));
  prepare_guest(files_, plan, 1.0);
  start_shell(files_, plan, std::move(alive), self_program());
  EXPECT_TRUE(shell_alive(files_, id_));
  write_file(fifo, "x");
  wait_for_shell();
  EXPECT_FALSE(shell_alive(files_, id_));
  EXPECT_FALSE(exists(files_.alive(id_)));
}

TEST_F(JobFilesTest, no_task_keeps_a_dead_job_alive) {
  // A task does not get the lock's descriptor: with its shell killed the job is dead though the task's child
  // lives.
  const std::string fifo = make_fifo("pid");
  const pid_t shell = start(TestJob::shell("setsid sh -c 'echo $$ > " + fifo + "; exec sleep 1000' & wait"));
  const pid_t stray = std::stoi(read_fifo(fifo));
  ::kill(shell, SIGKILL);
  wait_for_shell();
  EXPECT_TRUE(lives(stray));
  EXPECT_FALSE(shell_alive(files_, id_));
  ::kill(stray, SIGKILL);
}

TEST_F(JobFilesTest, a_starter_that_dies_leaves_a_lost_shell) {
  // A lock whose holder is gone, or that was never taken, is reported; others are not.
  { const FileLock alive = take_alive(files_, id_); }
  write_file(files_.alive_dir() + "/noise", "");
  const FileLock other = take_alive(files_, {1});
  EXPECT_EQ(lost_shells(files_), std::vector{id_});
  EXPECT_EQ(files_.alive_ids(), (std::vector<notation::JobId>{{1}, id_}));
  remove_alive(files_, id_);
  remove_alive(files_, id_);
  EXPECT_TRUE(lost_shells(files_).empty());
}

TEST_F(JobFilesTest, a_shell_program_that_is_missing_is_named) {
  // A start that fails throws, and the lock is free again.
  const LaunchPlan plan = plan_for(TestJob{});
  prepare_guest(files_, plan, 1.0);
  try {
    start_shell(files_, plan, take_alive(files_, id_), "/no/fq-shell");
    FAIL();
  } catch (const Error& failure) {
    EXPECT_STREQ(failure.what(), "cannot start '/no/fq-shell': No such file or directory");
  }
  EXPECT_FALSE(shell_alive(files_, id_));
}

TEST(AppendFile, keeps_what_does_not_fit) {
  // A FIFO that is full keeps the rest back until there is room; a full device counts as out of space.
  const TempDir dir;
  const std::string path = dir.path() + "/fifo";
  ::mkfifo(path.c_str(), 0600);
  const UniqueFd reader{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  AppendFile file(path, false);
  file.append(std::string(100'000, 'x') + "\n");
  const std::size_t kept = file.kept();
  EXPECT_GT(kept, 0U);
  EXPECT_FALSE(file.out_of_space());
  std::string got(100'001 - kept, '\0');
  EXPECT_EQ(::read(reader.get(), got.data(), got.size()), static_cast<ssize_t>(got.size()));
  EXPECT_TRUE(file.flush());
  AppendFile full("/dev/full", false);
  full.append("x");
  EXPECT_TRUE(full.out_of_space());
  full.drop_kept();
  EXPECT_EQ(full.kept(), 0U);
}

TEST(AppendFile, an_unfinished_line_is_ended) {
  // What was written of a line before the rest is given up does not run into the next.
  const TempDir dir;
  AppendFile file(dir.path() + "/log", true);
  file.append("whole\npart");
  file.drop_kept();
  file.append("next\n");
  EXPECT_EQ(read_file(dir.path() + "/log"), "whole\npart\nnext\n");
}

TEST(AppendFile, a_line_that_a_failure_cut_is_ended) {
  // A write comes to half, the rest fails: the next line begins a line.
  const TempDir dir;
  AppendFile file(dir.path() + "/log", true);
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit little{4, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &little);
  EXPECT_THROW(file.append("torn line\n"), Error);
  ::setrlimit(RLIMIT_FSIZE, &before);
  file.append("next\n");
  EXPECT_EQ(read_file(dir.path() + "/log"), "torn\nnext\n");
}

TEST(SignalBlock, holds_signals_until_its_end) {
  // A SIGTERM that comes while it lives is handled after.
  static volatile sig_atomic_t seen;
  seen = 0;
  struct sigaction action {};
  struct sigaction previous {};
  action.sa_handler = [](int) { seen = 1; };
  ::sigaction(SIGTERM, &action, &previous);
  {
    const process::SignalBlock block(process::UserSignals::all);
    ::kill(::getpid(), SIGTERM);
    EXPECT_EQ(seen, 0);
  }
  EXPECT_EQ(seen, 1);
  ::sigaction(SIGTERM, &previous, nullptr);
}

}  // namespace
}  // namespace fq::shell
