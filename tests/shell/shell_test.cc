#include "shell/shell.h"

#include <csignal>

#include "process/machine/baseline.h"
#include "shell/shell_fixture.h"

namespace fq::shell {
namespace {

class Shell : public ShellTest {};

TEST_F(Shell, runs_a_job_and_tells_what_happened) {
  // A job's output, exit status and events are recorded in Flux's words, in its order.
  const meeting::ShellOutcome outcome = run(TestJob::shell("echo hello; echo oops >&2"));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(exceptions(outcome), "");
  EXPECT_EQ(stdout_of(0), "hello\n");
  EXPECT_EQ(stderr_of(0), "oops\n");
  EXPECT_TRUE(output().finished);
  EXPECT_EQ(events(), "init starting shell.init shell.start shell.task-exit shell-exit complete done ");
  EXPECT_GT(outcome.t_finish, 0);
}

TEST_F(Shell, events_carry_what_flux_puts_into_them) {
  // shell.init, shell.start, shell.task-exit and complete have Flux's keys.
  TestJob job = TestJob::shell("exit 3");
  job.nslots = 2;
  job.R_lite[0]["children"]["core"] = "0-1";
  ASSERT_EQ(run(job).status, 3 << 8);
  json contexts;
  for (const auto& event : document::decode_eventlog(read_file(files_.exec_eventlog(id_)))) {
    json context = event.context;
    if (context.is_object()) context.erase("pid");
    contexts[event.name] = context;
  }
  EXPECT_EQ(contexts.at("shell.init"), (json{{"leader-rank", 0}, {"size", 1}}));
  EXPECT_EQ(contexts.at("shell.start").dump(), R"({"taskmap":{"map":[[0,1,2,1]],"version":1}})");
  json exit = contexts.at("shell.task-exit");
  exit.erase("rank");
  exit.erase("localid");
  EXPECT_EQ(exit.dump(), R"({"exitcode":3,"signaled":0,"state":"Exited","wait_status":768})");
  EXPECT_EQ(contexts.at("complete"), (json{{"status", 768}, {"attempt", 1}}));
  EXPECT_EQ(contexts.at("shell-exit"), (json{{"rank", 0}, {"wait_status", 768}}));
}

TEST_F(Shell, status_is_the_greatest_of_the_exit_codes) {
  // Of several tasks the highest exit code makes the status, and a signal counts as 128 and its number.
  struct Case {
    const char* script;
    int code;
  };
  const Case cases[] = {
      {"exit $FLUX_TASK_RANK", 3},
      {"[ $FLUX_TASK_RANK = 1 ] && kill -TERM $$; exit 7", 143},
      {"[ $FLUX_TASK_RANK = 2 ] && kill -KILL $$; exit 200", 200},
      {"exit 0", 0},
  };
  std::uint32_t attempt = 0;
  for (const Case& each : cases) {
    TestJob job = TestJob::shell(each.script);
    job.nslots = 4;
    job.attempt = ++attempt;
    EXPECT_EQ(run(job).status, each.code << 8) << each.script;
  }
}

TEST_F(Shell, R16_9_several_tasks_know_who_they_are) {
  // Tasks are numbered in block order over the nodes of R and each has its own stream in the log.
  TestJob job = TestJob::shell("echo $FLUX_TASK_RANK $FLUX_TASK_LOCAL_ID $FLUX_JOB_SIZE $FLUX_JOB_NNODES");
  job.nslots = 4;
  job.R_lite = json::array({{{"rank", "0-1"}, {"children", {{"core", "0-1"}}}}});
  job.nodelist = "node[0-1]";
  EXPECT_EQ(run(job).status, 0);
  EXPECT_EQ(stdout_of(0), "0 0 4 2\n");
  EXPECT_EQ(stdout_of(1), "1 1 4 2\n");
  EXPECT_EQ(stdout_of(2), "2 0 4 2\n");
  EXPECT_EQ(stdout_of(3), "3 1 4 2\n");
}

TEST_F(Shell, a_program_that_is_not_there_fails_as_in_flux) {
  // An unknown program gives status 127, one that may not be executed 126, both with Flux's exception.
  TestJob job;
  job.command = {"no-such-program"};
  meeting::ShellOutcome outcome = run(job);
  EXPECT_EQ(outcome.status, 127 << 8);
  EXPECT_EQ(exceptions(outcome),
            "exec 0 task 0 on node0: cannot run 'no-such-program': No such file or directory\n");
  EXPECT_EQ(output().log, "task 0 on node0: cannot run 'no-such-program': No such file or directory\n");

  job.command = {"/etc/passwd"};
  job.attempt = 2;
  outcome = run(job);
  EXPECT_EQ(outcome.status, 126 << 8);
  EXPECT_EQ(exceptions(outcome), "exec 0 task 0 on node0: cannot run '/etc/passwd': it is not executable\n");
}

TEST_F(Shell, says_what_keeps_a_program_from_running) {
  // A directory; a script whose interpreter is not there; one found on PATH.
  write_file(dir_.path() + "/script", "#!  /no/such/sh -e\necho\n", 0755);
  TestJob job;
  job.command = {dir_.path()};
  meeting::ShellOutcome outcome = run(job);
  EXPECT_EQ(outcome.status, 126 << 8);
  EXPECT_EQ(output().log, fmt::format("task 0 on node0: cannot run '{}': it is a directory\n", dir_.path()));

  job.command = {dir_.path() + "/script"};
  job.attempt = 2;
  outcome = run(job);
  EXPECT_EQ(outcome.status, 127 << 8);
  EXPECT_EQ(
      exceptions(outcome),
      fmt::format("exec 0 task 0 on node0: cannot run '{}/script': its interpreter '/no/such/sh' is not "
                  "there\n",
                  dir_.path()));
}

TEST_F(Shell, a_script_without_interpreter_line_is_the_shells) {
  // A file that execve does not know goes to /bin/sh, as execvp(3) does it.
  write_file(dir_.path() + "/script", "echo from $0 with $1\n", 0755);
  TestJob job;
  job.cwd = dir_.path();
  job.command = {"./script", "words"};
  EXPECT_EQ(run(job).status, 0);
  EXPECT_EQ(stdout_of(0), "from ./script with words\n");
}

TEST_F(Shell, the_jobs_own_path_finds_the_program) {
  // The program is looked up on the PATH of the submitted environment, in its order.
  make_directory(dir_.path() + "/bin");
  write_file(dir_.path() + "/bin/greet", "#!/bin/sh\necho greetings\n", 0755);
  TestJob job;
  job.command = {"greet"};
  job.environment = {{"PATH", "/nowhere:" + dir_.path() + "/bin:/bin"}};
  EXPECT_EQ(run(job).status, 0);
  EXPECT_EQ(stdout_of(0), "greetings\n");
}

TEST_F(Shell, nothing_of_the_starter_leaks_into_a_task) {
  // Environment, directory, umask, signals, descriptors and session of the starter do not reach the task.
  ::setenv("LEAKED", "yes", 1);
  ::umask(0);
  const UniqueFd open_here{::open("/dev/null", O_RDONLY)};
  ::signal(SIGUSR1, SIG_IGN);
  sigset_t blocked;
  sigset_t previous;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR2);
  ::sigprocmask(SIG_BLOCK, &blocked, &previous);
  TestJob job = TestJob::shell(
      "echo leaked=$LEAKED; pwd; umask; ls -C -w 200 /proc/self/fd; grep -E 'Sig(Blk|Ign)' "
      "/proc/self/status; "
      "[ $(cut -d' ' -f6 /proc/$$/stat) = " +
      std::to_string(::getsid(0)) + " ] && echo same session; true");
  job.cwd = "/usr";
  EXPECT_EQ(run(job).status, 0);
  ::sigprocmask(SIG_SETMASK, &previous, nullptr);
  ::signal(SIGUSR1, SIG_DFL);
  ::unsetenv("LEAKED");
  ::umask(022);
  EXPECT_EQ(stdout_of(0),
            "leaked=\n/usr\n0022\n0  1  2  3\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST_F(Shell, umask_and_limits_are_those_submitted) {
  // The shell options umask and rlimit decide, and only for the tasks.
  TestJob job = TestJob::shell("umask; ulimit -n; ulimit -c; ulimit -Hn");
  job.options = {{"umask", "0027"}, {"rlimit", {{"nofile", 99}, {"core", 0}}}};
  EXPECT_EQ(run(job).status, 0);
  const std::string text = stdout_of(0);
  EXPECT_TRUE(text.starts_with("0027\n99\n0\n")) << text;
  EXPECT_FALSE(text.ends_with("\n99\n")) << "the hard limit was lowered: " << text;
}

TEST_F(Shell, a_limit_above_the_hard_limit_is_lowered_with_a_word) {
  // What the machine does not allow is replaced by what it does, and the output log says so.
  TestJob job = TestJob::shell("ulimit -n");
  job.options = {{"rlimit", {{"nofile", 4'000'000'000}, {"cpu", -1}}}};
  EXPECT_EQ(run(job).status, 0);
  const std::string hard = stdout_of(0).substr(0, stdout_of(0).size() - 1);
  EXPECT_EQ(output().log, "limit nofile of 4000000000 exceeds the hard limit, which is used: " + hard + "\n");
}

TEST_F(Shell, what_it_inherits_is_told_in_its_log_and_not_to_the_job) {
  // A hard limit that nobody can raise so far differs from the store's.
  process::Baseline baseline = process::Baseline::capture();
  std::uint64_t hard = 0;
  for (process::Baseline::Limit& limit : baseline.limits) {
    if (limit.name != "nofile") continue;
    hard = limit.hard;
    limit.hard = process::Baseline::kUnlimited;
  }
  meeting::LaunchPlan plan = plan_for(TestJob::shell("true"));
  plan.baseline = baseline.encode();
  FileLock alive = meeting::take_alive(files_, id_);
  meeting::prepare_guest(files_, plan, plan.time);
  meeting::start_shell(files_, plan, std::move(alive), self_program());
  EXPECT_EQ(outcome().status, 0);
  EXPECT_EQ(output().log, "");
  std::string inherited;
  for (const auto& event : document::decode_eventlog(read_file(files_.exec_eventlog(id_)))) {
    if (event.name == "shell.init") inherited = event.context.at("inherited").dump();
  }
  EXPECT_EQ(inherited, fmt::format("[\"nofile limit is {}, not unlimited\"]", hard));
}

TEST_F(Shell, a_directory_that_is_gone_fails_the_job) {
  // What cannot run where it was to run does not run elsewhere; a jobspec that names no place runs in /tmp.
  TestJob job = TestJob::shell("touch " + dir_.path() + "/ran");
  job.cwd = "/no/such/place";
  const meeting::ShellOutcome failed = run(job);
  EXPECT_EQ(failed.status, 1 << 8);
  EXPECT_EQ(exceptions(failed),
            "exec 0 cannot enter directory '/no/such/place': No such file or directory\n");
  EXPECT_EQ(output().log, "cannot enter directory '/no/such/place': No such file or directory\n");
  EXPECT_FALSE(exists(dir_.path() + "/ran"));
  TestJob anywhere = TestJob::shell("pwd");
  anywhere.attempt = 2;
  anywhere.cwd = "";
  EXPECT_EQ(run(anywhere).status, 0);
  EXPECT_EQ(stdout_of(0), "/tmp\n");
}

TEST_F(Shell, tasks_are_bound_to_the_cores_of_R) {
  // Affinity is the CPUs of the job's cores; cores that this machine lacks are left out, and if none remain
  // nothing is bound.
  const std::string show = "grep Cpus_allowed_list /proc/self/status | cut -f2";
  TestJob job = TestJob::shell(show);
  EXPECT_EQ(run(job).status, 0);
  const std::string first = stdout_of(0);

  job.R_lite[0]["children"]["core"] = "0,4000";
  job.attempt = 2;
  EXPECT_EQ(run(job).status, 0);
  EXPECT_EQ(stdout_of(0), first);

  job.R_lite[0]["children"]["core"] = "4000-4003";
  job.attempt = 3;
  EXPECT_EQ(run(job).status, 0);
  const std::string all = stdout_of(0);
  job.options = {{"cpu-affinity", "off"}};
  job.attempt = 4;
  EXPECT_EQ(run(job).status, 0);
  EXPECT_EQ(stdout_of(0), all);

  job.options = {{"cpu-affinity", "map:0"}};
  job.attempt = 5;
  EXPECT_EQ(run(job).status, 0);
  EXPECT_EQ(stdout_of(0), "0\n");
}

TEST_F(Shell, tasks_die_before_their_shell_when_memory_runs_out) {
  // A task's oom score is above its shell's, or what the option says.
  const std::string show = "expr $(cat /proc/self/oom_score_adj) - $(cat /proc/$PPID/oom_score_adj)";
  EXPECT_EQ(run(TestJob::shell(show)).status, 0);
  EXPECT_EQ(stdout_of(0), "100\n");
  TestJob job = TestJob::shell("cat /proc/self/oom_score_adj");
  job.options = {{"oom", {{"adjust", 321}}}};
  job.attempt = 2;
  EXPECT_EQ(run(job).status, 0);
  EXPECT_EQ(stdout_of(0), "321\n");
}

TEST_F(Shell, each_task_leads_its_own_group) {
  // A task's process group is its own, unless nosetpgrp is set.
  const std::string show = "[ $(cut -d' ' -f5 /proc/$$/stat) = $$ ] && echo leader || echo member";
  TestJob job = TestJob::shell(show);
  EXPECT_EQ(run(job).status, 0);
  EXPECT_EQ(stdout_of(0), "leader\n");
  job.options = {{"nosetpgrp", 1}};
  job.attempt = 2;
  EXPECT_EQ(run(job).status, 0);
  EXPECT_EQ(stdout_of(0), "member\n");
}

TEST_F(Shell, arguments_are_rendered) {
  // Tags in the command stand for the task's own values; the job's files are found by {{tmpdir}}.
  TestJob job;
  job.command = {"sh", "{{tmpdir}}/script", "{{taskid}}", "{{node.name}}", "{{id.dec}}", "{{what}}"};
  job.nslots = 2;
  job.system["files"] = {{"script", {{"mode", 0100700}, {"data", "echo $*; ls -l $0 | cut -c1-10\n"}}}};
  EXPECT_EQ(run(job).status, 0) << output().log;
  EXPECT_EQ(stdout_of(1), "1 node0 6731191091817518 {{what}}\n-rwx------\n");
}

TEST_F(Shell, the_temporary_directory_is_there_and_goes) {
  // FLUX_JOB_TMPDIR is a private directory that is removed with what is in it.
  EXPECT_EQ(run(TestJob::shell("cd $FLUX_JOB_TMPDIR && mkdir d && touch d/x && stat -c %a . && pwd")).status,
            0);
  const std::string text = stdout_of(0);
  EXPECT_TRUE(text.starts_with("700\n/tmp/fq-fuZZybuNNy-")) << text;
  EXPECT_FALSE(exists(text.substr(4, text.size() - 5)));
}

TEST_F(Shell, a_broken_plan_becomes_an_exception) {
  // A jobspec or R that cannot be used ends the job with an exec exception and a failed shell's status.
  TestJob job;
  job.options = {{"rlimit", {{"nofiles", 3}}}};
  meeting::ShellOutcome outcome = run(job);
  EXPECT_EQ(outcome.status, 1 << 8);
  EXPECT_EQ(exceptions(outcome),
            "exec 0 jobspec: attributes.system.shell.options.rlimit.nofiles: no such limit\n");
  EXPECT_EQ(events(), "init starting shell.init exception shell-exit complete done ");
  EXPECT_FALSE(meeting::any_task_started(files_, id_, 1));
}

TEST_F(Shell, a_second_attempt_has_its_own_outcome) {
  // Attempts share the log; the outcome of each is found by its number, and a stale one is not mistaken.
  EXPECT_EQ(run(TestJob::shell("exit 1")).status, 1 << 8);
  EXPECT_FALSE(meeting::recorded_outcome(files_, id_, 2).has_value());
  EXPECT_FALSE(meeting::any_task_started(files_, id_, 2));
  TestJob again = TestJob::shell("exit 2");
  again.attempt = 2;
  EXPECT_EQ(run(again).status, 2 << 8);
  EXPECT_EQ(meeting::recorded_outcome(files_, id_, 1)->status, 1 << 8);
  EXPECT_TRUE(meeting::any_task_started(files_, id_, 1));
  EXPECT_TRUE(meeting::any_task_started(files_, id_, 2));
}

TEST_F(Shell, standard_input_is_empty_or_a_file) {
  // Without an option tasks read nothing; a file is given to each task from its start.
  TestJob job = TestJob::shell("cat; echo end");
  EXPECT_EQ(run(job).status, 0);
  EXPECT_EQ(stdout_of(0), "end\n");
  write_file(dir_.path() + "/in", "words\n");
  job.nslots = 2;
  job.cwd = dir_.path();
  job.options = {{"input", {{"stdin", {{"type", "file"}, {"path", "in"}}}}}};
  job.attempt = 2;
  EXPECT_EQ(run(job).status, 0);
  EXPECT_EQ(stdout_of(0), "words\nend\n");
  EXPECT_EQ(stdout_of(1), "words\nend\n");
  job.options["input"]["stdin"]["path"] = "missing";
  job.attempt = 3;
  EXPECT_EQ(exceptions(run(job)), "exec 0 input: cannot open 'missing': No such file or directory\n");
}

TEST_F(Shell, standard_input_comes_through_the_input_log) {
  // What is appended to the guest input log reaches the ranks it names, and the end of the stream too.
  TestJob job = TestJob::shell("read line; echo got $line; cat");
  job.nslots = 2;
  job.options = {{"input", {{"stdin", {{"type", "service"}}}}}};
  const SystemClock clock;
  const meeting::LaunchPlan plan = plan_for(job);
  files_.create_guest(id_);
  std::string log = document::encode_event({clock.now(),
                                            "header",
                                            {{"version", 1},
                                             {"encoding", {{"stdin", "UTF-8"}}},
                                             {"count", {{"stdin", 1}}},
                                             {"options", json::object()}},
                                            nullptr});
  const auto data = [&](const char* ranks, const std::string& text, bool eof) {
    json context{{"stream", "stdin"}, {"rank", ranks}, {"data", text}};
    if (eof) context["eof"] = true;
    return document::encode_event({clock.now(), "data", context, nullptr});
  };
  log += data("1", "one\n", false) + data("all", std::string(200'000, 'x') + "\n", false);
  write_file(files_.input(id_), log);
  const std::string fifo = make_fifo("started");
  job.command[2] =
      "read line; echo got ${#line}; [ $FLUX_TASK_RANK = 0 ] && echo up > " + fifo + "; cat | wc -c";
  start(job);
  EXPECT_EQ(read_fifo(fifo), "up");
  const UniqueFd fd{::open(files_.input(id_).c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)};
  write_all(fd.get(), data("all", "end\n", true), "input");
  EXPECT_EQ(outcome().status, 0);
  EXPECT_EQ(stdout_of(0), "got 200000\n4\n");
  EXPECT_EQ(stdout_of(1), "got 3\n200005\n");
}

TEST_F(Shell, starting_many_is_cheap_and_leaves_no_child) {
  // A starter has no children after it started shells, and waits for none of them.
  start(TestJob::shell("exit 0"));
  const auto children = process::read_processes();
  for (const process::ProcessStat& process : children) {
    // The test adopts orphans, so that the shell itself shows up; the process between is gone.
    if (process.parent == ::getpid()) {
      EXPECT_NE(process.session, ::getsid(0));
    }
  }
  EXPECT_EQ(outcome().status, 0);
}

}  // namespace
}  // namespace fq::shell
