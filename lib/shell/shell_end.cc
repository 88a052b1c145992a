#include <csignal>

#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "process/tree/process_tree.h"
#include "shell/instance_dump.h"
#include "shell/shell_run.h"

namespace fq::shell {

using nlohmann::json;

namespace {

constexpr int kDrainTries = 10;

}  // namespace

int exit_code_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? kSignalBase + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

void ShellRun::drain() {
  if (!output_) return;
  // All that is left stands in the pipes; who could not be killed may go on writing.
  constexpr std::size_t kMostInPipe = 1U << 20U;  // what an unprivileged process may make one hold
  for (std::uint32_t rank = 0; rank < tasks_.size(); ++rank) {
    read_output(rank, Stream::out, kMostInPipe);
    read_output(rank, Stream::err, kMostInPipe);
  }
  end_terminal();
  output_->close_all();
  for (int i = 0; i < kDrainTries && !output_->flush(); ++i) pause_for(kRetryOutput);
  // Who finds a note of the end finds all that was written before it: also after a power failure.
  const bool lost = output_->give_up();
  if (!output_->sync() || lost) raise("exec", 1, std::string{meeting::kIncompleteOutput});
}

void ShellRun::keep_instance() {
  constexpr double kLongest_s = 600;
  if (options_.dump.empty() || tmpdir_.empty() || !jobspec_->batch()) return;
  InstanceDump dump{document::render(options_.dump, template_values()), tmpdir_, {}};
  // Where it is found, and what compresses.
  if (const json* environment = jobspec_->environment())
    dump.environment.push_back(fmt::format("PATH={}", environment->value("PATH", "/usr/bin:/bin")));
  // One that was canceled already is kept all the same.
  const bool was_canceled = canceled_;
  const double until = clock_.boot_time() + kLongest_s;
  const std::string wrong = dump_instance(
      dump, [this](const auto& started) { record(started); },
      [&] {
        on_control();
        return canceled_ == was_canceled && clock_.boot_time() < until;
      });
  if (wrong.empty()) return;
  const std::string note = fmt::format("the job's instance is not kept in {}: {}", quote(dump.file), wrong);
  log(4, note);
  raise("dump", 1, note);
}

meeting::ShellOutcome ShellRun::finish() {
  meeting::ShellOutcome outcome;
  // A job that was told to end before it began ended by that signal.
  int code = tasks_.empty() && exit_code_ == 0 ? kSignalBase + SIGTERM : exit_code_;
  if (!exceptions_.empty()) {
    const json& context = exceptions_.front().context;
    const auto cause = context.find("wait_status");
    if (cause != context.end()) code = exit_code_of(cause->get<int>());
    // However its tasks took it.
    if (context.at("type") == meeting::kTimeLimit) code = kSignalBase + SIGALRM;
  }
  outcome.status = code << 8;
  outcome.exceptions = std::move(exceptions_);
  outcome.t_finish = clock_.now();
  input_.reset();
  output_.reset();
  keeping_.remove_places(tmpdir_, cgroup_);
  keeping_.complete(outcome);
  if (::chdir("/") != 0) log(4, "cannot leave the job's directory");
  ::umask(077);
  if (!limits_.limits.empty()) {
    const rlimit descriptors{limits_.limits.front().soft, limits_.limits.front().hard};
    ::setrlimit(RLIMIT_NOFILE, &descriptors);
  }
  process::set_subreaper(false);
  return outcome;
}

}  // namespace fq::shell
