#include "shell/shell_run.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <span>

#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fault_point.h"
#include "base/text.h"
#include "meeting/enclosure.h"
#include "meeting/standing.h"
#include "process/start/detach.h"
#include "process/start/find_program.h"
#include "process/tree/process_tree.h"

namespace fq::shell {

using nlohmann::json;

namespace {

constexpr std::size_t kReadSize = 65536;
constexpr int kExitMask = 0xff;
constexpr int kShellFailed = 1;  // exit code of a shell that could not run the job

}  // namespace

ShellRun::ShellRun(const meeting::JobFiles& files, const meeting::LaunchPlan& launch, const Clock& clock,
                   Keeping& keeping)
    : files_(files), launch_(launch), clock_(clock), keeping_(keeping) {}

meeting::ShellOutcome ShellRun::run() {
  std::string wrong;
  fault_point("shell-began");
  try {
    prepare_process();
    read_job();
  } catch (const std::exception& failure) {
    wrong = failure.what();
  }
  try {
    open_logs();
    for (const std::string& message : std::exchange(early_, {})) output_->log(4, message);
    json init{{"leader-rank", plan_.nodes.empty() ? 0 : plan_.nodes.front().rank},
              {"size", plan_.nodes.size()}};
    if (!inherited_.empty()) init["inherited"] = inherited_;
    post("shell.init", std::move(init));
    if (!wrong.empty()) throw Error{Kind::invalid, wrong};
    watch_control();
    set_expiration(launch_.expiration);
    on_control();
    on_time();
    enter_directory();
    open_streams();
    fault_point("streams-opened");
    if (!ending_) start_all();
    fault_point("tasks-started");
    for (const meeting::ControlSignal& order : std::exchange(early_signals_, {})) heed(order);
    if (!tasks_.empty()) post("shell.start", {{"taskmap", plan_.taskmap.to_wrapped_json()}});
  } catch (const std::exception& failure) {
    exit_code_ = std::max(exit_code_, kShellFailed);
    fail(failure.what());
  }
  loop();
  fault_point("tasks-ended");
  if (const auto instance = instance_inside()) keeping_.end_instance(*instance);
  if (const std::string left_out = keeping_.settle_own_guest(); !left_out.empty()) log(4, left_out);
  keep_instance();
  drain();
  keeping_.touch();
  return finish();
}

void ShellRun::loop() {
  keeping_.touch();
  reap();
  while (!gone_) {
    wait();
    on_signals();
    on_control();
    if (input_) input_->feed();
    serve_terminal();
    heed_pmi();
    heed_encloser();
    if (!ready_.empty()) expect_sessions();
    for (const Ready& ready : ready_) {
      if (!ready.stream) {
        check_started(ready.rank);
      } else if (!output_->blocked()) {
        read_output(ready.rank, *ready.stream, 1);
      }
    }
    serve_terminal();
    if (!output_->flush()) timers_.emplace(Timer::retry_output, clock_.boot_time() + kRetryOutput);
    keeping_.touch();
    on_time();
  }
}

void ShellRun::wait() {
  std::vector<pollfd> fds{{signals_.get(), POLLIN, 0}, {timers_.fd(), POLLIN, 0}};
  keeping_.watch(fds);
  if (input_) {
    for (const int fd : input_->full_pipes()) fds.push_back({fd, POLLOUT, 0});
  }
  if (terminal_) terminal_->watch(fds);
  if (encloser_.valid()) fds.push_back({encloser_.get(), POLLIN, 0});
  const std::size_t first_pmi = fds.size();
  if (pmi_) pmi_->watch(fds);
  const std::size_t first = fds.size();
  std::vector<Ready> watched;
  const auto watch = [&](const UniqueFd& fd, Ready what) {
    if (!fd.valid()) return;
    fds.push_back({fd.get(), POLLIN, 0});
    watched.push_back(what);
  };
  const bool read = !output_->blocked();
  for (std::uint32_t rank = 0; rank < tasks_.size(); ++rank) {
    watch(tasks_[rank].failed, {rank, std::nullopt});
    if (!read || (terminal_ && is_interactive(rank) && !terminal_->wants_output())) continue;
    watch(tasks_[rank].out, {rank, Stream::out});
    watch(tasks_[rank].err, {rank, Stream::err});
  }
  timers_.arm(clock_);
  ::poll(fds.data(), fds.size(), -1);
  if (pmi_) pmi_->serve(std::span{fds}.subspan(first_pmi, first - first_pmi));
  ready_.clear();
  for (std::size_t i = 0; i < watched.size(); ++i) {
    if (fds[first + i].revents != 0) ready_.push_back(watched[i]);
  }
}

void ShellRun::on_signals() {
  bool child = false;
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGCHLD) {
      child = true;
    } else {
      signal_tasks(static_cast<int>(info.ssi_signo));
    }
  }
  if (!child) return;
  expect_sessions();
  reap();
}

void ShellRun::on_control() {
  for (const meeting::ControlOrder& order : keeping_.orders()) {
    // Who saw the job running meant its tasks, started or not.
    const auto send = [this](const meeting::ControlSignal& signal) {
      if (tasks_.empty()) early_signals_.push_back(signal);
      heed(signal);
    };
    if (const auto* signal = std::get_if<meeting::ControlSignal>(&order)) {
      send(*signal);
    } else if (std::holds_alternative<meeting::ControlPreempt>(order)) {
      send({launch_.term_signal});
    } else if (std::holds_alternative<meeting::ControlEpilogSignal>(order)) {
      continue;  // it came too early: there is none yet
    } else if (const auto* expiration = std::get_if<meeting::ControlExpiration>(&order)) {
      if (keeping_.keeps_time()) set_expiration(expiration->time);
      move_instance_end(expiration->time);
    } else {
      canceled_ = true;
      end_tasks();
    }
  }
}

void ShellRun::reap() {
  for (;;) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid <= 0) {
      gone_ = pid < 0 && errno == ECHILD;
      break;
    }
    if (WIFSTOPPED(status)) {
      // A traced task that has come to its program: it stays stopped, for a debugger.
      ::ptrace(PTRACE_DETACH, pid, nullptr, SIGSTOP);
      continue;
    }
    const auto task = by_pid_.find(pid);
    if (task == by_pid_.end()) continue;
    const std::uint32_t rank = task->second;
    by_pid_.erase(task);
    on_exit(rank, status);
  }
  if (gone_ || !all_exited()) return;
  // The tasks are over; what they left behind ends too.
  if (ending_) {
    ask_to_end();
  } else {
    end_tasks();
  }
}

void ShellRun::on_exit(std::uint32_t rank, int wait_status) {
  check_started(rank);
  Task& task = tasks_[rank];
  task.failed.reset();
  task.terminal.reset();
  task.exited = true;
  --running_;
  if (input_) input_->close(rank);
  exit_code_ = std::max(exit_code_, exit_code_of(wait_status));
  json context{{"localid", plan_.tasks[rank].local_id},
               {"rank", rank},
               {"state", "Exited"},
               {"pid", task.pid},
               {"wait_status", wait_status},
               {"signaled", WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0},
               {"exitcode", exit_code_of(wait_status)}};
  post("shell.task-exit", std::move(context));
  tell(fmt::format("task {} ended with {} {}", rank, WIFSIGNALED(wait_status) ? "signal" : "exit code",
                   WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status)));
  if (options_.exit_on_error && wait_status != 0 && !ending_) {
    fail(task_words(rank) + " failed and exit-on-error is set", wait_status);
  }
  const std::optional<double> patience = options_.patience_after(wait_status);
  if (patience && !first_exit_) {
    first_exit_ = {rank, wait_status};
    timers_.emplace(Timer::exit_timeout, clock_.boot_time() + *patience);
  }
}

std::string ShellRun::task_words(std::uint32_t rank) const {
  return fmt::format("{}: task rank {} on host {}", jobspec_->name(), rank,
                     plan_.nodes[plan_.tasks[rank].node].host);
}

void ShellRun::check_started(std::uint32_t rank) {
  Task& task = tasks_[rank];
  if (!task.failed.valid()) return;
  bool pending = false;
  const auto reason = process::start_failure(task.failed, pending);
  if (!pending) task.failed.reset();
  if (!reason) return;
  const document::PlannedNode& node = plan_.nodes[plan_.tasks[rank].node];
  const process::TaskCommand command = command_for(plan_.tasks[rank]);
  fail(fmt::format("task {} on {}: cannot run {}: {}", rank, node.host, quote(command.arguments.front()),
                   process::why_not_run(command, *reason)));
}

void ShellRun::read_output(std::uint32_t rank, Stream stream, std::size_t most) {
  UniqueFd& fd = stream == Stream::out ? tasks_[rank].out : tasks_[rank].err;
  char buffer[kReadSize];
  while (fd.valid() && most > 0) {
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n > 0) {
      const auto bytes = static_cast<std::size_t>(n);
      take_output(rank, stream, {buffer, bytes});
      most -= std::min(most, bytes);
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else if (n < 0 && errno == EAGAIN) {
      return;
    } else {
      if (is_interactive(rank)) end_terminal();
      output_->close(rank, stream);
      fd.reset();
    }
  }
}

void ShellRun::take_output(std::uint32_t rank, Stream stream, std::string_view bytes) {
  const bool interactive = is_interactive(rank);
  if (interactive && terminal_) terminal_->show(bytes);
  if (!interactive || options_.pty->capture) output_->write(rank, stream, bytes);
}

void ShellRun::serve_terminal() {
  if (!terminal_) return;
  terminal_->serve();
  timers_.erase(Timer::terminal);
  if (const auto due = terminal_->due()) timers_[Timer::terminal] = *due;
  if (terminal_->owner_gone() && !ending_) fail("the terminal that the job is to end with is gone");
}

void ShellRun::heed_pmi() {
  if (!pmi_ || !pmi_->aborted() || ending_) return;
  const pmi::Server::Abort& abort = *pmi_->aborted();
  fail(fmt::format("PMI: task rank {} on host {} {}", abort.rank,
                   plan_.nodes[plan_.tasks[abort.rank].node].host, printable(abort.reason)),
       (abort.exit_code & kExitMask) << 8);
}

void ShellRun::heed_encloser() {
  if (!encloser_.valid() || !meeting::life_is_over(encloser_)) return;
  encloser_.reset();
  try {
    // All its jobs, those that wait, too: each of their shells would be started only to end.
    const std::string store = meeting::addressed_store(files_.store());
    const std::vector<std::string> words{"fq-tick", "--store", store, "--end"};
    process::start_detached(process::find_program("fq-tick"), words, {},
                            meeting::enclosing_environment(store));
  } catch (const Error&) {
    fail("the job around its instance has ended");
  }
}

void ShellRun::end_terminal() {
  if (!terminal_) return;
  terminal_->end();
  if (!options_.pty->capture) output_->write(0, Stream::out, terminal_->unseen());
  terminal_.reset();
  timers_.erase(Timer::terminal);
}

void ShellRun::heed(const meeting::ControlSignal& order) {
  if (order.ranks.empty()) return signal_tasks(order.number);
  try {
    signal_tasks(order.number, notation::Idset::decode(order.ranks));
  } catch (const Error&) {
    return;  // no order
  }
}

void ShellRun::signal_tasks(int number, const std::optional<notation::Idset>& ranks) {
  for (const auto& [pid, rank] : by_pid_) {
    if (ranks && !ranks->contains(rank)) continue;
    // Its pid is its own until it is reaped. It may have left the group that was made for it.
    if (!options_.new_process_group || ::kill(-pid, number) != 0) ::kill(pid, number);
  }
}

void ShellRun::fail(const std::string& note, std::optional<int> wait_status) {
  log(2, note);
  if (exceptions_.empty()) raise("exec", 0, note, wait_status);
  end_tasks();
}

void ShellRun::post(std::string_view name, json context) {
  keeping_.post({clock_.now(), std::string{name}, std::move(context), nullptr});
}

void ShellRun::raise(std::string_view type, int severity, const std::string& note,
                     std::optional<int> wait_status) {
  json context{{"type", type}, {"severity", severity}, {"note", note}};
  if (wait_status) context["wait_status"] = *wait_status;
  exceptions_.push_back({clock_.now(), "exception", std::move(context), nullptr});
  keeping_.post(exceptions_.back());
}

void ShellRun::log(int level, const std::string& message) {
  if (output_) {
    output_->log(level, message);
  } else {
    early_.push_back(message);
  }
}

void ShellRun::tell(const std::string& message) {
  constexpr int kInformation = 6;
  if (options_.verbose) log(kInformation, message);
}

}  // namespace fq::shell
