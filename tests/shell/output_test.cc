#include "shell/output.h"

#include "shell/shell_fixture.h"

namespace fq::shell {
namespace {

class ShellOutput : public ShellTest {
 protected:
  [[nodiscard]] std::string file(const std::string& name) const {
    return read_file_if_exists(dir_.path() + "/" + name).value_or("(none)");
  }
  static json to_file(const std::string& path) { return {{"type", "file"}, {"path", path}}; }
};

TEST(LineBuffer, gives_whole_lines) {
  // Bytes are held until their line is whole, or too long.
  LineBuffer lines;
  EXPECT_EQ(lines.take("one\ntw"), "one\n");
  EXPECT_EQ(lines.take("o"), "");
  EXPECT_EQ(lines.take("\nthree\nfour"), "two\nthree\n");
  EXPECT_EQ(lines.rest(), "four");
  EXPECT_EQ(lines.rest(), "");
  const std::string half(LineBuffer::kMaxLine / 2, 'x');
  EXPECT_EQ(lines.take(half), "");
  EXPECT_EQ(lines.take(half), half + half);
  EXPECT_EQ(lines.rest(), "");
}

TEST(LabelLines, begins_each_line_once) {
  // A prefix is written where a line begins, also when lines come in pieces.
  bool start = true;
  EXPECT_EQ(label_lines("a\nb", "0: ", start), "0: a\n0: b");
  EXPECT_EQ(label_lines("c\n", "0: ", start), "c\n");
  EXPECT_EQ(label_lines("\n", "0: ", start), "0: \n");
}

TEST_F(ShellOutput, goes_to_files_that_templates_name) {
  // A task tag opens a file for each task; the log says where each stream went.
  TestJob job = TestJob::shell("echo out $FLUX_TASK_RANK; echo err $FLUX_TASK_RANK >&2");
  job.nslots = 2;
  job.cwd = dir_.path();
  job.system["job"] = {{"name", "app"}};
  job.options = {
      {"output",
       {{"stdout", to_file("{{name}}-{{id.dec}}.{{taskid}}.out")}, {"stderr", to_file("all.err")}}}};
  EXPECT_EQ(run(job).status, 0);
  EXPECT_EQ(file("app-6731191091817518.0.out"), "out 0\n");
  EXPECT_EQ(file("app-6731191091817518.1.out"), "out 1\n");
  EXPECT_EQ(file("all.err").size(), std::string("err 0\nerr 1\n").size());
  EXPECT_TRUE(output().data.empty());
  EXPECT_TRUE(output().finished);
  EXPECT_EQ(output().redirects,
            "stdout 0 app-6731191091817518.0.out\nstdout 1 app-6731191091817518.1.out\nstderr 0-1 all.err\n");
}

TEST_F(ShellOutput, stderr_follows_stdout_into_its_file) {
  // Where only stdout is given a file, stderr goes there too, in one file.
  TestJob job = TestJob::shell("echo out; echo err >&2");
  job.cwd = dir_.path();
  job.options = {{"output", {{"stdout", to_file("both-{{node.id}}")}}}};
  EXPECT_EQ(run(job).status, 0);
  const std::string text = file("both-0");
  EXPECT_TRUE(text == "out\nerr\n" || text == "err\nout\n") << text;
}

TEST_F(ShellOutput, truncates_or_appends) {
  // An output file is emptied first, unless the mode is append; its mode follows the job's umask.
  write_file(dir_.path() + "/file", "old\n");
  TestJob job = TestJob::shell("echo new");
  job.cwd = dir_.path();
  job.options = {{"output", {{"stdout", to_file("file")}, {"mode", "append"}}}, {"umask", "0026"}};
  EXPECT_EQ(run(job).status, 0);
  EXPECT_EQ(file("file"), "old\nnew\n");
  ::unlink((dir_.path() + "/file").c_str());
  job.options["output"].erase("mode");
  job.attempt = 2;
  EXPECT_EQ(run(job).status, 0);
  EXPECT_EQ(file("file"), "new\n");
  struct stat info {};
  ::stat((dir_.path() + "/file").c_str(), &info);
  EXPECT_EQ(info.st_mode & 0777, 0640U);
}

TEST_F(ShellOutput, labels_lines_with_the_rank) {
  // With `label` each line of a file begins with the rank of its task.
  TestJob job = TestJob::shell("echo a; printf b");
  job.cwd = dir_.path();
  job.options = {{"output", {{"stdout", {{"type", "file"}, {"path", "file"}, {"label", true}}}}}};
  EXPECT_EQ(run(job).status, 0);
  EXPECT_EQ(file("file"), "0: a\n0: b");
}

TEST_F(ShellOutput, a_file_that_cannot_be_opened_fails_the_job) {
  // The job does not run, and the exception names the file and the reason.
  TestJob job = TestJob::shell("echo ran > " + dir_.path() + "/ran");
  job.cwd = dir_.path();
  job.options = {{"output", {{"stdout", to_file("no/such/file")}}}};
  const meeting::ShellOutcome outcome = run(job);
  EXPECT_EQ(outcome.status, 1 << 8);
  EXPECT_EQ(exceptions(outcome), "exec 0 output: cannot open 'no/such/file': No such file or directory\n");
  EXPECT_EQ(file("ran"), "(none)");
  EXPECT_TRUE(output().finished);
}

TEST_F(ShellOutput, a_fifo_without_reader_does_not_hang_the_job) {
  // Opening a FIFO that nobody reads fails instead of blocking the shell.
  make_fifo("pipe");
  TestJob job = TestJob::shell("echo ran");
  job.cwd = dir_.path();
  job.options = {{"output", {{"stdout", to_file("pipe")}}}};
  EXPECT_EQ(exceptions(run(job)), "exec 0 output: cannot open 'pipe': No such device or address\n");
}

TEST_F(ShellOutput, a_full_disk_under_a_file_loses_output_with_a_word) {
  // What a file does not take to the end is given up; the log and an exception say what was lost.
  TestJob job = TestJob::shell("echo one; echo two; exit 3");
  job.options = {{"output", {{"stdout", to_file("/dev/full")}, {"stderr", {{"type", "kvs"}}}}}};
  const meeting::ShellOutcome outcome = run(job);
  EXPECT_EQ(outcome.status, 3 << 8);
  EXPECT_EQ(exceptions(outcome), "exec 1 output is incomplete: it could not be written\n");
  EXPECT_EQ(output().log, "cannot write '/dev/full': No space left on device: output is lost\n");
}

TEST_F(ShellOutput, messages_of_the_shell_reach_the_stderr_file) {
  // Who sends stderr to a file finds the shell's warnings there.
  TestJob job = TestJob::shell("mkdir \"$FLUX_JOB_GUEST_DIR/folder\"");
  job.options = {{"output", {{"stderr", to_file(dir_.path() + "/err")}}}};
  EXPECT_EQ(run(job).status, 0);
  EXPECT_EQ(file("err"), "fq-shell[0]: WARN: not kept as guest.NAME: 'folder' (no regular file)\n");
}

TEST_F(ShellOutput, binary_output_comes_back_byte_for_byte) {
  // What a task writes is what a reader of the log gets, whatever bytes it is, however it is cut.
  TestJob job =
      TestJob::shell("i=0; while [ $i -lt 40 ]; do printf '\\303\\251\\377\\000\\n\\200'; i=$((i+1)); done");
  job.options = {{"output", {{"stdout", {{"buffer", {{"type", "none"}}}}}}}};
  EXPECT_EQ(run(job).status, 0);
  std::string expected;
  for (int i = 0; i < 40; ++i) expected += std::string("\303\251\377\0\n\200", 6);
  EXPECT_EQ(stdout_of(0), expected);
}

TEST_F(ShellOutput, much_output_is_kept_whole_and_costs_no_memory) {
  // 16 MB through the log arrive complete while the shell stays small.
  const TestJob job = TestJob::shell(
      "head -c 16777216 /dev/zero | tr '\\0' 'x'; grep VmHWM /proc/$PPID/status | tr -cd 0-9 >&2");
  EXPECT_EQ(run(job).status, 0);
  EXPECT_EQ(stdout_of(0).size(), 16777216U);
#if !defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(std::stoi(stderr_of(0)), 20'000) << "kB resident";
#endif
}

TEST_F(ShellOutput, what_exceeds_the_limit_is_left_out) {
  // The option output.limit cuts each stream's log, with a word, and nothing else of the job.
  TestJob job = TestJob::shell("printf 0123456789; printf 0123456789; echo err >&2; exit 2");
  job.options = {{"output", {{"limit", "12"}}}};
  EXPECT_EQ(run(job).status, 2 << 8);
  EXPECT_EQ(stdout_of(0), "012345678901");
  EXPECT_EQ(stderr_of(0), "err\n");
  EXPECT_EQ(output().log, "stdout exceeds 12 bytes, the limit of what is kept: the rest is left out\n");
}

TEST_F(ShellOutput, comes_while_the_job_runs) {
  // Output is in the log as soon as it is written, not at the end.
  const std::string fifo = make_fifo("go");
  start(TestJob::shell("echo first; read x < " + fifo + "; echo last"));
  while (!exists(files_.output(id_)) || stdout_of(0) != "first\n") ::sched_yield();
  write_file(fifo, "go\n");
  EXPECT_EQ(outcome().status, 0);
  EXPECT_EQ(stdout_of(0), "first\nlast\n");
}

}  // namespace
}  // namespace fq::shell
