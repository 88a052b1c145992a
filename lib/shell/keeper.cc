#include "shell/keeper.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "document/jobspec/jobspec.h"
#include "document/jobspec/task_plan.h"
#include "process/start/spawn.h"
#include "shell/R_lines.h"
#include "shell/keeper_run.h"
#include "shell/shell_run.h"
#include "shell/shell_signals.h"
#include "signature/exec_message.h"

namespace fq::shell {

using nlohmann::json;

namespace {

constexpr int kShellFailed = 1;

}  // namespace

meeting::ShellOutcome Keeper::run() {
  std::string wrong;
  try {
    signals_ = watch_signals();
    timers_.open();
    const auto jobspec = document::Jobspec::parse(launch_.jobspec);
    options_ = document::parse_shell_options(jobspec);
    options_.output_limit = std::min(options_.output_limit, launch_.most_output.value_or(UINT64_MAX));
    const auto plan =
        document::make_task_plan(jobspec, document::ResourceSet::parse(launch_.R), options_.taskmap);
    ntasks_ = static_cast<std::uint32_t>(plan.tasks.size());
  } catch (const std::exception& failure) {
    wrong = failure.what();
  }
  try {
    while (!keeping_.open(ntasks_)) pause_for(kRetryRoom);
    if (!wrong.empty()) throw Error{Kind::invalid, wrong};
    start();
    static_cast<void>(keeping_.watch_orders());
    if (options_.stdin_service) input_ = keeping_.input();
    set_expiration(launch_.expiration);
    on_orders();
    loop();
    confirm_empty();
  } catch (const std::exception& failure) {
    fail(failure.what());
    if (wire_) confirm_empty();
  }
  return finish();
}

void Keeper::start() {
  if (!launch_.signed_start)
    throw error(Kind::permission, "there is no signed request of user {} for this job", launch_.userid);
  int to[2], from[2], says[2];
  if (::pipe2(to, O_CLOEXEC) != 0) throw system_error("cannot make a pipe", errno);
  const UniqueFd to_read{to[0]};
  UniqueFd to_write{to[1]};
  if (::pipe2(from, O_CLOEXEC) != 0) throw system_error("cannot make a pipe", errno);
  UniqueFd from_read{from[0]};
  const UniqueFd from_write{from[1]};
  if (::pipe2(says, O_CLOEXEC | O_NONBLOCK) != 0) throw system_error("cannot make a pipe", errno);
  imp_says_.reset(says[0]);
  const UniqueFd says_write{says[1]};
  imp_pid_ = process::spawn(imp_, {"fq-imp", "exec"}, to_read.get(), from_write.get(), says_write.get());
  const meeting::SignedStart& start = *launch_.signed_start;
  signature::ExecMessage message{start.store,
                                 launch_.id.value,
                                 launch_.attempt,
                                 static_cast<std::uint64_t>(std::ceil(std::max(launch_.expiration, 0.0))),
                                 encode_R_lines(document::ResourceSet::parse(launch_.R)),
                                 start.J,
                                 start.index,
                                 start.values,
                                 start.proof,
                                 start.number};
  wire_.emplace(std::move(from_read), std::move(to_write));
  wire_->send_bytes(signature::encode_message(message));
  wire_->send({"rules", std::to_string(launch_.term_signal), fmt::format("{:.3f}", launch_.kill_grace_s),
               std::to_string(launch_.kill_signal)});
}

void Keeper::loop() {
  keeping_.touch();
  while (imp_pid_ > 0 && !gone_) {
    wait();
    on_signals();
    read_imp();
    on_orders();
    on_frames();
    feed_input();
    serve_lookers();
    keeping_.output()->flush();
    if (keeping_.output()->blocked()) timers_.emplace(Timer::room, clock_.boot_time() + kRetryRoom);
    keeping_.touch();
    on_time();
  }
  // What the tasks wrote last stands in the pipe.
  while (!gone_ && !wire_->ended()) {
    on_frames();
    keeping_.output()->flush();
    if (keeping_.output()->blocked()) pause_for(kRetryRoom);
  }
  read_imp();
}

void Keeper::wait() {
  timers_.arm(clock_);
  std::vector<pollfd> fds{{signals_.get(), POLLIN, 0}, {timers_.fd(), POLLIN, 0}};
  if (imp_says_.valid()) fds.push_back({imp_says_.get(), POLLIN, 0});
  keeping_.watch(fds);
  watch_lookers(fds);
  if (!wire_->ended() && !keeping_.output()->blocked()) fds.push_back({wire_->in(), POLLIN, 0});
  if (wire_->queued() > 0) fds.push_back({wire_->out(), POLLOUT, 0});
  ::poll(fds.data(), fds.size(), -1);
  wire_->flush();
}

void Keeper::on_signals() {
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo != SIGCHLD) order(meeting::ControlSignal{static_cast<int>(info.ssi_signo)});
  }
  int status = 0;
  if (imp_pid_ > 0 && ::waitpid(imp_pid_, &status, WNOHANG) == imp_pid_) {
    imp_pid_ = -1;
    imp_status_ = status;
  }
}

void Keeper::read_imp() {
  char buffer[4096];
  for (ssize_t n; imp_says_.valid() && (n = ::read(imp_says_.get(), buffer, sizeof buffer)) >= 0;) {
    if (n == 0) imp_says_.reset();
    if (imp_said_.size() < kMaxNote) imp_said_.append(buffer, static_cast<std::size_t>(n));
  }
}

void Keeper::on_orders() {
  for (const meeting::ControlOrder& given : keeping_.orders()) {
    if (const auto* expiration = std::get_if<meeting::ControlExpiration>(&given)) {
      set_expiration(expiration->time);
      order(given);  // for what runs in the job's instance
    } else if (std::holds_alternative<meeting::ControlCancel>(given)) {
      end_tasks();
    } else if (std::holds_alternative<meeting::ControlPreempt>(given)) {
      order(meeting::ControlSignal{launch_.term_signal});
    } else if (std::holds_alternative<meeting::ControlEpilogSignal>(given)) {
      continue;  // it came too early: there is none yet
    } else {
      order(given);
    }
  }
}

void Keeper::order(const meeting::ControlOrder& given) {
  std::string line = meeting::encode_control(given);
  line.pop_back();
  wire_->send({"order", line});
}

void Keeper::feed_input() {
  if (!input_.valid() || !input_taken_ || !wire_ || wire_->broken()) return;
  std::string bytes(Wire::kMaxData, '\0');
  const ssize_t n = ::read(input_.get(), bytes.data(), bytes.size());
  if (n <= 0) return;
  bytes.resize(static_cast<std::size_t>(n));
  input_taken_ = false;
  wire_->send({"input", bytes});
}

void Keeper::fail(const std::string& note) {
  log(2, note);
  raise("exec", 0, note);
}

void Keeper::raise(std::string_view type, int severity, const std::string& note) {
  exceptions_.push_back(
      {clock_.now(), "exception", json{{"type", type}, {"severity", severity}, {"note", note}}, nullptr});
  keeping_.post(exceptions_.back());
}

void Keeper::log(int level, const std::string& message) {
  if (keeping_.output() != nullptr) keeping_.output()->message(level, message);
}

meeting::ShellOutcome Keeper::finish() {
  end_terminal();
  const bool ran = imp_said_.starts_with("started\n");
  if (!status_ && exceptions_.empty() && !ending_) {
    const std::string first = imp_said_.substr(0, imp_said_.find('\n'));
    if (ran) {
      fail("the user's half of the shell ended before the job");
    } else {
      fail(first.empty() ? "fq-imp ended before the job began" : cut(first, kMaxNote));
    }
  }
  int code = status_ ? *status_ >> 8 : kShellFailed;
  // A job that was told to end before it began ended by that signal.
  if (!status_ && exceptions_.empty()) code = kSignalBase + (ran ? launch_.kill_signal : SIGTERM);
  for (const document::Event& event : exceptions_) {
    if (event.context.at("type") == meeting::kTimeLimit) code = kSignalBase + SIGALRM;
  }
  meeting::ShellOutcome outcome;
  outcome.status = code << 8;
  outcome.exceptions = std::move(exceptions_);
  outcome.t_finish = clock_.now();
  if (guest_ && !guest_->left_out().empty()) log(4, guest_->left_out());
  if (OutputLog* output = keeping_.output()) {
    for (std::uint32_t task = 0; task < ntasks_; ++task) {
      for (const Stream stream : {Stream::out, Stream::err}) {
        if (!closed_.contains({task, stream})) output->close(task, stream);
      }
    }
    constexpr int kTries = 10;
    for (int i = 0; i < kTries && (output->flush(), output->blocked()); ++i) pause_for(kRetryRoom);
    output->give_up();
    if (!output->sync()) {
      const std::string note{meeting::kIncompleteOutput};
      outcome.exceptions.push_back(
          {clock_.now(), "exception", json{{"type", "exec"}, {"severity", 1}, {"note", note}}, nullptr});
    }
  }
  static_cast<void>(keeping_.settle_own_guest());
  keeping_.touch();
  keeping_.complete(outcome);
  return outcome;
}

meeting::ShellOutcome run_keeper(const meeting::JobFiles& files, const meeting::LaunchPlan& plan,
                                 const Clock& clock, const std::string& imp) {
  return Keeper{files, plan, clock, imp}.run();
}

}  // namespace fq::shell
