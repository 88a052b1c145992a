// What the shell runs before and after the tasks, as real processes.

#include "shell/perilog.h"

#include <csignal>

#include "base/text.h"
#include "shell/shell_fixture.h"

namespace fq::shell {
namespace {

class PerilogRunTest : public ShellTest {
 protected:
  /// Runs the script as the prolog, or epilog, of a job.
  meeting::PerilogOutcome run(const std::string& script,
                              document::PerilogKind kind = document::PerilogKind::prolog) {
    return run_plan({{"/bin/sh", "-c", script}, timeout_s_, kill_timeout_s_}, kind);
  }
  meeting::PerilogOutcome run_plan(const meeting::PerilogPlan& perilog, document::PerilogKind kind) {
    meeting::LaunchPlan plan = plan_for(job_);
    (kind == document::PerilogKind::prolog ? plan.prolog : plan.epilog) = perilog;
    plan.status = status_;
    meeting::prepare_guest(files_, plan, SystemClock{}.now());
    if (order_) meeting::write_control(files_, id_, *order_);
    return in_session_of_its_own([&] { return run_perilog(files_, plan, kind, SystemClock{}); });
  }
  /// In another process, as a shell is: what is recorded as its session may be killed.
  template <typename Run>
  static meeting::PerilogOutcome in_session_of_its_own(const Run& run) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    const UniqueFd in(ends[0]), out(ends[1]);
    const pid_t child = ::fork();
    if (child == 0) {
      ::setsid();
      const meeting::PerilogOutcome outcome = run();
      const std::string text = json{outcome.status, outcome.note, outcome.expired, outcome.canceled}.dump();
      write_all(out.get(), text, "pipe");
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    std::string text(4096, '\0');
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(in.get(), text.data(), text.size()))));
    const json told = json::parse(text);
    return {told.at(0).get<int>(), told.at(1).get<std::string>(), told.at(2).get<bool>(),
            told.at(3).get<bool>(), 0};
  }
  /// `STREAM TEXT` and messages, as the guest document has them. What a stream says is read in any number of
  /// pieces, and between two streams there is no order: each is told as a whole.
  [[nodiscard]] std::string written(const std::string& name) const {
    std::string out, err, messages;
    document::OutputDecoder decoder;
    for (const auto& event : document::decode_eventlog(read_file(files_.guest(id_) + "/" + name))) {
      const auto item = decoder.decode(event);
      if (const auto* chunk = std::get_if<document::OutputChunk>(&item); chunk != nullptr)
        (chunk->stream == "stdout" ? out : err) += chunk->data;
      if (const auto* log = std::get_if<document::OutputLog>(&item)) messages += log->message + "\n";
    }
    EXPECT_TRUE(decoder.finished());
    return (out.empty() ? "" : "stdout " + out) + (err.empty() ? "" : "stderr " + err) + messages;
  }

  TestJob job_;
  double timeout_s_ = kPatience;
  double kill_timeout_s_ = kPatience;
  std::optional<int> status_;
  std::optional<meeting::ControlOrder> order_;
};

TEST_F(PerilogRunTest, what_it_writes_is_kept_and_its_end_is_told) {
  // Success has no note; a failure says the last line on stderr.
  EXPECT_EQ(run("echo out; echo err >&2").status, 0);
  EXPECT_EQ(written("prolog"), "stdout out\nstderr err\n");
  const meeting::PerilogOutcome failed =
      run("echo first >&2; printf 'no disk\\n\\n' >&2; exit 3", document::PerilogKind::epilog);
  EXPECT_EQ(failed.status, 3 << 8);
  EXPECT_EQ(failed.note, "exited with 3: no disk");
  EXPECT_EQ(written("epilog"), "stderr first\nno disk\n\n");
  EXPECT_EQ(run("kill -9 $$").note, "was ended by signal 9");
}

TEST_F(PerilogRunTest, what_it_writes_is_bounded) {
  // What goes beyond is counted.
  EXPECT_EQ(run("head -c 300000 /dev/zero | tr '\\0' x").status, 0);
  const std::string text = written("prolog");
  EXPECT_TRUE(text.ends_with("37856 bytes of output more are not kept\n")) << text.substr(text.size() - 100);
}

TEST_F(PerilogRunTest, what_cannot_be_run_has_failed) {
  // With the reason.
  const auto missing = run_plan({{"/no/such/prolog"}, 0, 1}, document::PerilogKind::prolog);
  EXPECT_EQ(missing.status, 127 << 8);
  EXPECT_EQ(missing.note, "cannot be run: No such file or directory");
  const auto no_program = run_plan({{"/etc/passwd"}, 0, 1}, document::PerilogKind::prolog);
  EXPECT_EQ(no_program.status, 126 << 8);
  EXPECT_EQ(no_program.note, "cannot be run: it is not executable");
  EXPECT_EQ(run_plan(meeting::PerilogPlan{}, document::PerilogKind::epilog).status, 0);
}

TEST_F(PerilogRunTest, one_that_takes_too_long_is_ended) {
  // By SIGTERM, and where that is not obeyed, killed; also when it then says that all is well.
  timeout_s_ = 0.05;
  const meeting::PerilogOutcome obeyed =
      run("exec 2>/dev/null; trap 'exit 0' TERM; while :; do sleep 100 & wait $!; done");
  EXPECT_EQ(obeyed.status, SIGTERM);
  EXPECT_EQ(obeyed.note, "timed out after 50ms");
  kill_timeout_s_ = 0.05;
  EXPECT_EQ(run("trap '' TERM; while :; do sleep 100; done").status, SIGKILL);
}

TEST_F(PerilogRunTest, a_prolog_ends_with_its_job_and_an_epilog_does_not) {
  // By an order, or at the time limit.
  order_ = meeting::ControlCancel{};
  const meeting::PerilogOutcome canceled = run("exit 0");
  EXPECT_EQ(canceled.status, SIGTERM);
  EXPECT_TRUE(canceled.canceled);
  EXPECT_EQ(run("exit 0", document::PerilogKind::epilog).status, 0);
  order_.reset();
  job_.attempt = 2;
  job_.time_limit = 0.05;
  const meeting::PerilogOutcome expired = run("exec sleep 100");
  EXPECT_EQ(expired.status, SIGTERM);
  EXPECT_TRUE(expired.expired);
  EXPECT_EQ(run("sleep 0.1", document::PerilogKind::epilog).status, 0);
}

TEST_F(PerilogRunTest, an_order_ends_one_that_runs) {
  // As soon as it is given.
  const std::string fifo = make_fifo("ready");
  const pid_t order = ::fork();
  if (order == 0) {
    read_fifo(fifo);
    meeting::write_control(files_, id_, meeting::ControlCancel{});
    ::_exit(0);
  }
  const meeting::PerilogOutcome canceled = run("echo up >" + fifo + "; exec sleep 100");
  EXPECT_EQ(canceled.status, SIGTERM);
  EXPECT_TRUE(canceled.canceled);
  ::waitpid(order, nullptr, 0);
}

TEST_F(PerilogRunTest, what_is_left_behind_lives_after_a_prolog_that_succeeded_only) {
  // As part of the job.
  const std::string fifo = make_fifo("pid");
  const auto leave = [&](int code, document::PerilogKind kind) {
    const std::string script =
        fmt::format("sleep 1000 >/dev/null 2>&1 & echo $! >'{}'; exit {}", dir_.path() + "/left", code);
    EXPECT_EQ(run(script, kind).status, code << 8);
    return static_cast<pid_t>(std::stoi(read_file(dir_.path() + "/left")));
  };
  EXPECT_FALSE(lives(leave(1, document::PerilogKind::prolog)));
  EXPECT_FALSE(lives(leave(0, document::PerilogKind::epilog)));
  const pid_t daemon = leave(0, document::PerilogKind::prolog);
  EXPECT_TRUE(lives(daemon));
  EXPECT_GT(end_leftovers(), 0U);
  EXPECT_FALSE(lives(daemon));
}

TEST_F(PerilogRunTest, its_environment_tells_of_the_job_and_of_nothing_else) {
  // Neither what was submitted with it, nor what the shell has.
  job_.environment = {{"SECRET", "x"}};
  job_.system = {{"queue", "batch"}};
  status_ = 256;
  EXPECT_EQ(run("env | sort", document::PerilogKind::epilog).status, 0);
  std::string text = written("epilog");
  for (const std::string_view ours : {"stdout ", "PWD=/\n", "SHLVL=0\n", "_=/usr/bin/env\n", "OLDPWD=/\n"}) {
    if (const auto at = text.find(ours); at != std::string::npos) text.erase(at, ours.size());
  }
  std::string names;
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view name = line.substr(0, line.find('='));
    if (!name.starts_with("FLUX_")) names += std::string{name} + " ";
  }
  for (const std::string& line :
       {std::string{"NODELIST=node0"}, std::string{"QUEUE=batch"}, fmt::format("USERID={}", ::getuid())}) {
    EXPECT_NE(text.find("FQ_JOB_" + line + "\n"), std::string::npos) << line;
    EXPECT_NE(text.find("FLUX_JOB_" + line + "\n"), std::string::npos) << line;
  }
  EXPECT_NE(text.find("FQ_JOB_WAITSTATUS=256\n"), std::string::npos);
  EXPECT_EQ(names,
            "FQ_JOB_ATTEMPT FQ_JOB_CWD FQ_JOB_ID FQ_JOB_NAME FQ_JOB_NNODES FQ_JOB_NODELIST FQ_JOB_QUEUE "
            "FQ_JOB_RANKS FQ_JOB_USERID FQ_JOB_WAITSTATUS FQ_STORE PATH  ");
}

}  // namespace
}  // namespace fq::shell
