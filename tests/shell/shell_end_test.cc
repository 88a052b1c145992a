// How a job's shell ends: signals, time limits, cancelling, and nothing left running.

#include <csignal>

#include "process/tree/process_tree.h"
#include "shell/shell_fixture.h"

namespace fq::shell {
namespace {

class ShellEnd : public ShellTest {
 protected:
  /// A shell script that writes `word` to a FIFO once `before` was executed, then waits to be signalled.
  TestJob waiting(const std::string& fifo, const std::string& before = "", const std::string& word = "$$") {
    return TestJob::shell(before + "\necho " + word + " > " + fifo +
                          "\nwhile :; do sleep 1000 & wait $!; done");
  }
};

TEST_F(ShellEnd, R16_18_cancel_terminates_the_tasks) {
  // The order `cancel` sends SIGTERM; a task that obeys ends the job at once.
  const std::string fifo = make_fifo("ready");
  TestJob job = waiting(fifo);
  start(job);
  read_fifo(fifo);
  EXPECT_TRUE(meeting::write_control(files_, id_, meeting::ControlCancel{}));
  const meeting::ShellOutcome ended = outcome();
  EXPECT_EQ(ended.status, (128 + SIGTERM) << 8);
  EXPECT_EQ(exceptions(ended), "");
}

TEST_F(ShellEnd, another_users_job_that_nobody_has_signed_does_not_run) {
  // Least of all as who has the store.
  const std::string ran = dir_.path() + "/ran";
  TestJob job = TestJob::shell("touch " + ran);
  job.userid = ::getuid() + 1;
  const meeting::ShellOutcome ended = run(job);
  EXPECT_NE(ended.status, 0);
  EXPECT_NE(
      exceptions(ended).find(fmt::format("there is no signed request of user {} for this job", job.userid)),
      std::string::npos)
      << exceptions(ended);
  EXPECT_FALSE(exists(ran));
}

TEST_F(ShellEnd, cancel_kills_who_ignores_it_after_the_grace) {
  // A task that ignores SIGTERM is killed when the grace is over, however often the order is repeated.
  const std::string fifo = make_fifo("ready");
  TestJob job = waiting(fifo, "trap '' TERM");
  job.kill_grace_s = 0.2;
  start(job);
  read_fifo(fifo);
  meeting::write_control(files_, id_, meeting::ControlCancel{});
  meeting::write_control(files_, id_, meeting::ControlCancel{});
  EXPECT_EQ(outcome().status, (128 + SIGKILL) << 8);
}

TEST_F(ShellEnd, another_signal_may_ask_tasks_to_end) {
  // The plan names it; who ignores that one is killed as ever.
  const std::string fifo = make_fifo("ready");
  TestJob job = waiting(fifo, "trap 'exit 3' USR1");
  job.term_signal = SIGUSR1;
  start(job);
  read_fifo(fifo);
  meeting::write_control(files_, id_, meeting::ControlCancel{});
  EXPECT_EQ(outcome().status, 3 << 8);
}

TEST_F(ShellEnd, another_signal_may_kill_them) {
  // It comes once the grace is over, and again after as long; a task that obeys the second ends by itself.
  const std::string fifo = make_fifo("ready");
  TestJob job = waiting(fifo, "n=0; trap '' TERM; trap 'n=$((n + 1)); [ $n = 2 ] && exit 4' USR2");
  job.kill_grace_s = 0.1;
  job.kill_signal = SIGUSR2;
  start(job);
  read_fifo(fifo);
  meeting::write_control(files_, id_, meeting::ControlCancel{});
  const meeting::ShellOutcome ended = outcome();
  EXPECT_EQ(ended.status, 4 << 8);
  EXPECT_EQ(exceptions(ended), "");
}

/// A task that says its pid and then is `command`, which is given up after so many tries to kill it.
TestJob unkillable(const std::string& fifo, const std::string& command, int tries) {
  TestJob job = TestJob::shell("trap '' TERM USR2; echo $$ > " + fifo + "; exec " + command);
  job.kill_grace_s = 0.05;
  job.kill_signal = SIGUSR2;
  job.max_kill_count = tries;
  return job;
}

TEST_F(ShellEnd, killing_is_given_up_where_the_plan_says_so) {
  // After so many times the outcome is written though processes are left, and says so.
  const std::string fifo = make_fifo("pid");
  start(unkillable(fifo, "sleep 1000", 2));
  read_fifo(fifo);
  meeting::write_control(files_, id_, meeting::ControlCancel{});
  const meeting::ShellOutcome ended = outcome();
  EXPECT_EQ(ended.status, (128 + SIGUSR2) << 8);
  EXPECT_EQ(exceptions(ended), "unkillable 1 1 process was left after 2 kill attempts\n");
  EXPECT_EQ(meeting::recorded_outcome(files_, id_, 1), ended);
}

TEST_F(ShellEnd, who_is_given_up_may_go_on_writing) {
  // The outcome does not wait for a pipe that is filled again as it is read.
  const std::string fifo = make_fifo("pid");
  start(unkillable(fifo, "yes", 1));
  read_fifo(fifo);
  meeting::write_control(files_, id_, meeting::ControlCancel{});
  EXPECT_EQ(exceptions(outcome()), "unkillable 1 1 process was left after 1 kill attempt\n");
}

TEST_F(ShellEnd, a_stopped_task_can_be_cancelled) {
  // A task that was stopped is continued so that it meets its SIGTERM.
  const std::string fifo = make_fifo("ready");
  start(waiting(fifo));
  read_fifo(fifo);
  meeting::write_control(files_, id_, meeting::ControlSignal{SIGSTOP});
  meeting::write_control(files_, id_, meeting::ControlCancel{});
  EXPECT_EQ(outcome().status, (128 + SIGTERM) << 8);
}

TEST_F(ShellEnd, an_order_wakes_a_shell_that_was_stopped) {
  // SIGSTOP cannot be held off; who orders lets it go on.
  const std::string fifo = make_fifo("ready");
  const pid_t shell = start(waiting(fifo));
  read_fifo(fifo);
  ::kill(shell, SIGSTOP);
  while (process::read_process_stat(shell).value().state != 'T') continue;
  meeting::write_control(files_, id_, meeting::ControlCancel{});
  EXPECT_EQ(outcome().status, (128 + SIGTERM) << 8);
}

TEST_F(ShellEnd, nobody_but_its_shell_is_continued_for_a_job) {
  // The process that has the pid now began at another time, or there is no record.
  const std::string fifo = make_fifo("ready");
  const pid_t innocent = start(waiting(fifo));
  read_fifo(fifo);
  ::kill(innocent, SIGSTOP);
  const auto stopped = [&] { return process::read_process_stat(innocent).value().state == 'T'; };
  while (!stopped()) continue;
  const std::string record = read_file(files_.alive(id_));
  EXPECT_EQ(record,
            fmt::format("{} {}\n", innocent, process::read_process_stat(innocent).value().start_time));
  const notation::JobId other{7};
  for (const std::string& text : {fmt::format("{} 1\n", innocent), record.substr(0, record.size() - 1),
                                  std::string{}, std::string{"x y\n"}, std::string(1, '\0')}) {
    write_file(files_.alive(other), text);
    meeting::continue_shell(files_, other);
    EXPECT_TRUE(stopped()) << text;
  }
  meeting::remove_alive(files_, other);
  meeting::continue_shell(files_, id_);
  meeting::write_control(files_, id_, meeting::ControlCancel{});
  EXPECT_EQ(outcome().status, (128 + SIGTERM) << 8);
}

TEST_F(ShellEnd, cancel_before_the_start_runs_nothing) {
  // An order that is there before the shell is keeps the tasks from being started.
  const TestJob job = TestJob::shell("touch " + dir_.path() + "/ran");
  FileLock alive = meeting::take_alive(files_, id_);
  const meeting::LaunchPlan plan = plan_for(job);
  meeting::prepare_guest(files_, plan, plan.time);
  meeting::write_control(files_, id_, meeting::ControlCancel{});
  meeting::start_shell(files_, plan, std::move(alive), self_program());
  EXPECT_EQ(outcome().status, (128 + SIGTERM) << 8);
  EXPECT_FALSE(exists(dir_.path() + "/ran"));
  EXPECT_FALSE(meeting::any_task_started(files_, id_, 1));
}

TEST_F(ShellEnd, a_time_limit_ends_the_job_with_an_exception) {
  // At its expiration the job gets SIGTERM and a timelimit exception, recorded with its time; its exit code
  // is Flux's.
  const std::string fifo = make_fifo("ready");
  TestJob job = waiting(fifo);
  job.time_limit = 0.3;
  const double before = SystemClock{}.now();
  start(job);
  read_fifo(fifo);
  const meeting::ShellOutcome ended = outcome();
  EXPECT_EQ(ended.status, (128 + SIGALRM) << 8);
  EXPECT_EQ(exceptions(ended), "timelimit 0 resource allocation expired\n");
  EXPECT_GE(ended.exceptions.at(0).timestamp, before + 0.3);
  EXPECT_LE(ended.exceptions.at(0).timestamp, ended.t_finish);
}

TEST_F(ShellEnd, the_code_of_a_time_out_does_not_depend_on_how_the_tasks_took_it) {
  // One that says all is well, one that has to be killed.
  int attempt = 0;
  for (const char* trap : {"trap 'exit 0' TERM", "trap '' TERM"}) {
    const std::string fifo = make_fifo("ready" + std::to_string(++attempt));
    TestJob job = waiting(fifo, trap);
    job.attempt = attempt;
    job.time_limit = 3600;
    job.kill_grace_s = 0.05;
    start(job);
    read_fifo(fifo);
    meeting::write_control(files_, id_, meeting::ControlExpiration{SystemClock{}.now() - 1});
    EXPECT_EQ(outcome().status, (128 + SIGALRM) << 8) << trap;
  }
}

TEST_F(ShellEnd, a_limit_that_passed_before_the_start_runs_nothing) {
  // A job whose time is over when its shell starts runs nothing and is timed out.
  TestJob job = TestJob::shell("touch " + dir_.path() + "/ran");
  job.time_limit = 1e-9;
  const meeting::ShellOutcome timed_out = run(job);
  EXPECT_EQ(timed_out.status, (128 + SIGALRM) << 8);
  EXPECT_EQ(exceptions(timed_out), "timelimit 0 resource allocation expired\n");
  EXPECT_FALSE(exists(dir_.path() + "/ran"));
}

TEST_F(ShellEnd, a_step_of_the_clock_changes_no_limit) {
  // A clock that was set a year back, or forward, since the start was planned: the limit is as long as it
  // was, and the times that the shell records go on from the store's.
  constexpr double kYear = 365 * 86400.0;
  TestJob job = TestJob::shell("exec sleep 1000");
  job.time_limit = 0.3;
  job.clock_step = kYear;
  const double now = SystemClock{}.now();
  const meeting::ShellOutcome timed_out = run(job);
  EXPECT_EQ(exceptions(timed_out), "timelimit 0 resource allocation expired\n");
  EXPECT_GE(timed_out.exceptions.at(0).timestamp, now + kYear + 0.3);
  EXPECT_LE(timed_out.t_finish, now + kYear + kPatience);
  TestJob late = TestJob::shell("exit 3");
  late.attempt = 2;
  late.time_limit = 3600;
  late.clock_step = -kYear;
  const meeting::ShellOutcome ended = run(late);
  EXPECT_EQ(exceptions(ended), "");
  EXPECT_EQ(ended.status, 3 << 8);
  EXPECT_LE(ended.t_finish, now - kYear + kPatience);
}

TEST_F(ShellEnd, a_limit_can_be_moved) {
  // The order `expiration` replaces the time limit: later, none, or at once.
  const std::string fifo = make_fifo("ready");
  TestJob job = waiting(fifo);
  job.time_limit = 3600;
  start(job);
  read_fifo(fifo);
  meeting::write_control(files_, id_, meeting::ControlExpiration{0});
  meeting::write_control(files_, id_, meeting::ControlExpiration{SystemClock{}.now() + 7200});
  meeting::write_control(files_, id_, meeting::ControlExpiration{SystemClock{}.now() - 1});
  EXPECT_EQ(exceptions(outcome()), "timelimit 0 resource allocation expired\n");
}

TEST_F(ShellEnd, a_warning_comes_before_the_limit) {
  // The shell option `signal` sends its signal the given time before the limit.
  TestJob job = TestJob::shell("trap 'echo warned; exit 9' USR1; while :; do sleep 1000 & wait $!; done");
  job.time_limit = 3600;
  job.options = {{"signal", {{"signum", 10}, {"timeleft", 3599.5}}}};
  const meeting::ShellOutcome ended = run(job);
  EXPECT_EQ(ended.status, 9 << 8);
  EXPECT_EQ(exceptions(ended), "");
  EXPECT_EQ(stdout_of(0), "warned\n");
}

TEST_F(ShellEnd, a_signal_that_comes_before_the_tasks_reaches_them) {
  // Who saw the job running and signals it means its tasks, also while its shell is on its way.
  start(TestJob::shell("exec sleep 1000"), meeting::ControlSignal{SIGUSR1});
  EXPECT_EQ(outcome().status, (128 + SIGUSR1) << 8);
  EXPECT_EQ(events(), "init starting shell.init shell.start shell.task-exit shell-exit complete done ");
}

TEST_F(ShellEnd, signals_reach_the_tasks) {
  // `signal N` reaches the whole process group of each task, and a signal to the shell is handed on.
  const std::string fifo = make_fifo("ready");
  const std::string trap = "trap 'echo one' USR1; trap 'echo two; exit 4' USR2";
  const std::string script =
      trap + "\n(trap 'echo child; exit 0' USR1; echo > " + fifo +
      "; while :; do sleep 1000 & wait $!; done) &\nwait $!; wait $!; while :; do sleep 1000 "
      "& wait $!; done";
  const pid_t shell = start(TestJob::shell(script));
  read_fifo(fifo);
  meeting::write_control(files_, id_, meeting::ControlSignal{SIGUSR1});
  // The group's order is not fixed; both must have heard before the next signal.
  while (stdout_of(0).find("child") == std::string::npos || stdout_of(0).find("one") == std::string::npos) {
    ::sched_yield();
  }
  ::kill(shell, SIGUSR2);
  EXPECT_EQ(outcome().status, 4 << 8);
  EXPECT_TRUE(stdout_of(0).ends_with("two\n")) << stdout_of(0);
}

TEST_F(ShellEnd, other_tasks_go_on_when_one_fails) {
  // Without exit-on-error a failing task ends nothing but itself.
  const std::string fifo = make_fifo("go");
  TestJob job = TestJob::shell("[ $FLUX_TASK_RANK = 0 ] && { echo > " + fifo + "; exit 5; }; read x < " +
                               fifo + "; echo done");
  job.nslots = 2;
  const meeting::ShellOutcome ended = run(job);
  EXPECT_EQ(ended.status, 5 << 8);
  EXPECT_EQ(exceptions(ended), "");
  EXPECT_EQ(stdout_of(1), "done\n");
}

TEST_F(ShellEnd, exit_on_error_ends_the_others) {
  // With exit-on-error the first failure is an exception that carries its wait status into the job's.
  TestJob job = TestJob::shell("[ $FLUX_TASK_RANK = 0 ] && exit 5; while :; do sleep 1000 & wait $!; done");
  job.nslots = 2;
  job.options = {{"exit-on-error", 1}};
  job.system["job"] = {{"name", "app"}};
  const meeting::ShellOutcome ended = run(job);
  EXPECT_EQ(ended.status, 5 << 8);
  EXPECT_EQ(exceptions(ended), "exec 0 app: task rank 0 on host node0 failed and exit-on-error is set\n");
}

TEST_F(ShellEnd, exit_timeout_ends_the_others) {
  // With exit-timeout the others have that long once the first task ended, whose code is the job's.
  TestJob job = TestJob::shell("[ $FLUX_TASK_RANK = 0 ] && exit 3; while :; do sleep 1000 & wait $!; done");
  job.nslots = 2;
  job.options = {{"exit-timeout", "0.1s"}};
  job.system["job"] = {{"name", "app"}};
  const meeting::ShellOutcome ended = run(job);
  EXPECT_EQ(ended.status, 3 << 8);
  EXPECT_EQ(exceptions(ended),
            "exec 0 app: task rank 0 on host node0 exited and exit-timeout=0.1s has expired\n");
}

TEST_F(ShellEnd, nothing_outlives_the_job) {
  // A descendant that double-forks, changes session, clears its environment, ignores SIGTERM and keeps every
  // descriptor is gone before the outcome is written.
  const std::string fifo = make_fifo("pid");
  const std::string go = make_fifo("go");
  TestJob job = TestJob::shell("(setsid env -i sh -c \"trap '' TERM HUP; echo \\$\\$ > " + fifo +
                               "; while :; do sleep 1000; done\" &) ; read x < " + go + "; exit 6");
  job.kill_grace_s = 0.1;
  start(job);
  const pid_t pid = std::stoi(read_fifo(fifo));
  write_file(go, "go\n");
  EXPECT_GT(pid, 0);
  EXPECT_EQ(outcome().status, 6 << 8);
  EXPECT_FALSE(lives(pid));
}

TEST_F(ShellEnd, what_a_task_leaves_behind_is_asked_first) {
  // Background processes of a job that is over get SIGTERM and may clean up within the grace.
  const std::string fifo = make_fifo("ready");
  const std::string mark = dir_.path() + "/cleaned";
  TestJob job = TestJob::shell("sh -c 'trap \"echo > " + mark + "; exit\" TERM; echo > " + fifo +
                               "; while :; do sleep 1000 & wait $!; done' & cat " + fifo);
  EXPECT_EQ(run(job).status, 0);
  EXPECT_TRUE(exists(mark));
}

TEST_F(ShellEnd, a_shell_that_a_task_started_lives_on) {
  // A job that starts another job's shell, as `fq submit` inside a job does, does not take it down.
  const notation::JobId outer = id_;
  const notation::JobId inner{id_.value + 1};
  const std::string fifo = make_fifo("go");
  meeting::LaunchPlan plan = plan_for(TestJob::shell("cat " + fifo));
  plan.id = inner;
  meeting::prepare_guest(files_, plan, plan.time);
  TestJob job;
  job.command = {self_program(), "--start-shell", files_.store(), notation::to_dothex(inner)};
  job.kill_grace_s = 0;
  EXPECT_EQ(run(job).status, 0) << stderr_of(0);
  EXPECT_TRUE(meeting::shell_alive(files_, inner));
  EXPECT_FALSE(meeting::shell_alive(files_, outer));
  write_file(fifo, "words\n");
  id_ = inner;
  EXPECT_EQ(outcome().status, 0);
  EXPECT_EQ(stdout_of(0), "words\n");
}

}  // namespace
}  // namespace fq::shell
