#include "shell/keeper.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <map>
#include <set>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "document/jobspec.h"
#include "document/shell_options.h"
#include "document/task_plan.h"
#include "meeting/imp_kill.h"
#include "process/kill_rounds.h"
#include "process/spawn.h"
#include "shell/R_lines.h"
#include "shell/guest_keeping.h"
#include "shell/wire.h"
#include "signature/exec_message.h"

namespace fq::shell {

using nlohmann::json;

namespace {

constexpr int kSignals[] = {SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGTSTP};
constexpr int kSignalBase = 128;
constexpr int kShellFailed = 1;
constexpr double kRetryRoom = 0.2;      // seconds between tries on a full disk
constexpr double kKillAgain = 0.5;      // and between asking whether something is left
constexpr std::size_t kMaxNote = 4096;  // bytes of what the user's half says of itself
constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kMaxMessages = 10'000;
constexpr std::size_t kMaxExceptions = 16;

std::string cut(std::string text, std::size_t most) {
  if (text.size() > most) text.resize(most);
  return printable(text);
}

class Keeper {
 public:
  Keeper(const meeting::JobFiles& files, const meeting::LaunchPlan& launch, const Clock& clock,
         std::string imp)
      : launch_(launch), clock_(clock), imp_(std::move(imp)), keeping_(files, launch, clock) {}

  meeting::ShellOutcome run();

 private:
  /// What happens when its time comes; times are boot time.
  enum class Timer { expiration, warning, kill, room };

  void prepare();
  void start();
  void loop();
  void wait();
  void on_signals();
  void on_orders();
  void on_frames();
  void take(const Wire::Frame& frame);
  void take_event(const std::string& line);
  void take_end(const std::string& status, const std::string& exceptions);
  void feed_input();
  void set_expiration(double time);
  void on_time();
  void order(const meeting::ControlOrder& order);
  void end_tasks();
  void kill();
  void confirm_empty();
  [[nodiscard]] bool is_empty(int signal);
  void read_imp();
  void fail(const std::string& note);
  void raise(std::string_view type, int severity, const std::string& note);
  void log(int level, const std::string& message);
  [[nodiscard]] std::uint32_t task_of(const std::string& text) const;
  [[nodiscard]] meeting::ShellOutcome finish();

  const meeting::LaunchPlan& launch_;
  const Clock& clock_;
  std::string imp_;
  GuestKeeping keeping_;
  document::ShellOptions options_;
  std::uint32_t ntasks_ = 1;
  UniqueFd signals_, clock_fd_;
  std::optional<Wire> wire_;
  UniqueFd imp_says_;  ///< its standard error
  std::string imp_said_;
  pid_t imp_pid_ = -1;  ///< until it was reaped
  int imp_status_ = 0;
  UniqueFd input_;
  bool input_taken_ = true;
  std::set<std::pair<std::uint32_t, Stream>> closed_;
  std::size_t events_ = 0, messages_ = 0;
  std::map<Timer, double> timers_;
  process::KillRounds kills_;
  bool ending_ = false;        ///< the tasks were told to end
  bool gone_ = false;          ///< no process of the job is left, or waited for
  std::optional<int> status_;  ///< by the user's half
  std::vector<document::Event> exceptions_;
};

meeting::ShellOutcome Keeper::run() {
  std::string wrong;
  try {
    prepare();
    const auto jobspec = document::Jobspec::parse(launch_.jobspec);
    options_ = document::parse_shell_options(jobspec);
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

void Keeper::prepare() {
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kSignals) sigaddset(&set, number);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  signals_.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  clock_fd_.reset(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!signals_.valid() || !clock_fd_.valid()) throw system_error("cannot watch signals and time", errno);
}

void Keeper::start() {
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
                                 start.proof};
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
  itimerspec when{};
  double next = INFINITY;
  for (const auto& [timer, time] : timers_) next = std::min(next, time);
  constexpr double kLongSleep = 86400;
  next = std::max(std::min(next, clock_.boot_time() + kLongSleep), 1e-3);
  when.it_value.tv_sec = static_cast<time_t>(next);
  when.it_value.tv_nsec = static_cast<long>((next - std::floor(next)) * 1e9);
  ::timerfd_settime(clock_fd_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
  std::vector<pollfd> fds{{signals_.get(), POLLIN, 0}, {clock_fd_.get(), POLLIN, 0}};
  if (imp_says_.valid()) fds.push_back({imp_says_.get(), POLLIN, 0});
  keeping_.watch(fds);
  if (!wire_->ended() && !keeping_.output()->blocked()) fds.push_back({wire_->in(), POLLIN, 0});
  if (wire_->queued() > 0) fds.push_back({wire_->out(), POLLOUT, 0});
  ::poll(fds.data(), fds.size(), -1);
  std::uint64_t expirations;
  [[maybe_unused]] const ssize_t ignored = ::read(clock_fd_.get(), &expirations, sizeof expirations);
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

void Keeper::end_tasks() {
  if (std::exchange(ending_, true)) return;
  order(meeting::ControlCancel{});
  timers_[Timer::kill] = clock_.boot_time() + std::max(launch_.kill_grace_s, 0.0);
}

void Keeper::on_frames() {
  Wire::Frame frame;
  try {
    while (!keeping_.output()->blocked() && wire_->receive(frame)) take(frame);
  } catch (const Error& failure) {
    // Nothing that follows can be understood.
    fail(fmt::format("the user's half of the shell says what makes no sense: {}", failure.what()));
    timers_[Timer::kill] = clock_.boot_time();
    wire_.emplace(UniqueFd{::open("/dev/null", O_RDONLY | O_CLOEXEC)},
                  UniqueFd{::open("/dev/null", O_WRONLY | O_CLOEXEC)});
  }
}

std::uint32_t Keeper::task_of(const std::string& text) const {
  const auto task = parse_u64(text);
  if (!task || *task >= ntasks_) throw error(Kind::invalid, "there is no task {}", cut(text, 20));
  return static_cast<std::uint32_t>(*task);
}

void Keeper::take(const Wire::Frame& frame) {
  const auto is = [&](std::string_view kind, std::size_t size) {
    return frame[0] == kind && frame.size() == size;
  };
  const auto stream_of = [](const std::string& text) {
    if (text != "0" && text != "1") throw Error{Kind::invalid, "there is no such stream"};
    return text == "0" ? Stream::out : Stream::err;
  };
  OutputLog& output = *keeping_.output();
  if (status_) throw Error{Kind::invalid, "it goes on after its end"};
  if (is("data", 4)) {
    const std::uint32_t task = task_of(frame[1]);
    const Stream stream = stream_of(frame[2]);
    if (closed_.contains({task, stream})) throw Error{Kind::invalid, "a stream goes on after its end"};
    if (output.write(task, stream, frame[3], options_.output_limit))
      log(4, limit_message(stream, options_.output_limit));
  } else if (is("close", 3)) {
    const std::uint32_t task = task_of(frame[1]);
    const Stream stream = stream_of(frame[2]);
    if (closed_.insert({task, stream}).second) output.close(task, stream);
  } else if (is("redirect", 4)) {
    const notation::Idset tasks = notation::Idset::decode(frame[2]);
    if (tasks.empty() || tasks.last() >= ntasks_ || frame[3].size() > kMaxPath ||
        ++messages_ > kMaxMessages + ntasks_)
      throw Error{Kind::invalid, "that is no redirection"};
    output.redirect(stream_of(frame[1]), tasks, frame[3]);
  } else if (is("message", 3)) {
    const auto level = parse_u64(frame[1]);
    if (!level || *level > 7) throw Error{Kind::invalid, "there is no such level"};
    if (++messages_ <= kMaxMessages) log(static_cast<int>(*level), cut(frame[2], kMaxNote));
  } else if (is("event", 2)) {
    take_event(frame[1]);
  } else if (is("taken", 1)) {
    input_taken_ = true;
  } else if (is("end", 3)) {
    take_end(frame[1], frame[2]);
  } else {
    throw Error{Kind::invalid, "there is no such frame"};
  }
}

void Keeper::take_event(const std::string& line) {
  document::Event event = document::decode_event(line);
  const bool known =
      event.name == "shell.init" || event.name == "shell.start" || event.name == "shell.task-exit";
  // Exceptions come with the end.
  if (event.name == "exception") return;
  if (!known || ++events_ > std::size_t{2} + ntasks_) throw Error{Kind::invalid, "there is no such event"};
  event.timestamp = clock_.now();
  keeping_.post(event);
}

void Keeper::take_end(const std::string& status, const std::string& exceptions) {
  const auto number = parse_u64(status);
  if (!number || *number > 0xffff) throw Error{Kind::invalid, "that is no status"};
  for (const document::Event& event : document::decode_eventlog(exceptions)) {
    const json& context = event.context;
    const auto type = context.is_object() ? context.find("type") : context.end();
    if (!context.is_object() || type == context.end() || (*type != "exec" && *type != "dump") ||
        exceptions_.size() >= kMaxExceptions)
      continue;
    const json note = context.value("note", json(""));
    const json severity = context.value("severity", json(0));
    raise(type->get<std::string>(), severity == 0 && *type == "exec" ? 0 : 1,
          cut(note.is_string() ? note.get<std::string>() : "", kMaxNote));
  }
  status_ = static_cast<int>(*number);
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

void Keeper::set_expiration(double time) {
  timers_.erase(Timer::expiration);
  timers_.erase(Timer::warning);
  if (time <= 0) return;
  const double at = clock_.boot_time() + (time - clock_.now());
  timers_[Timer::expiration] = at;
  if (options_.signal) timers_[Timer::warning] = at - options_.signal->timeleft;
}

void Keeper::on_time() {
  const double now = clock_.boot_time();
  std::vector<Timer> due;
  for (const auto& [timer, time] : timers_) {
    if (time <= now) due.push_back(timer);
  }
  for (const Timer timer : due) {
    timers_.erase(timer);
    if (timer == Timer::expiration && !ending_) {
      raise(meeting::kTimeLimit, 0, "resource allocation expired");
      end_tasks();
    } else if (timer == Timer::warning) {
      order(meeting::ControlSignal{options_.signal->signum});
    } else if (timer == Timer::kill) {
      kill();
    }
  }
}

void Keeper::kill() {
  const double now = clock_.boot_time();
  const process::KillRules rules{launch_.kill_grace_s, launch_.max_kill_count};
  if (kills_.is_due(now)) {
    if (kills_.are_over(rules)) {
      raise(meeting::kUnkillable, 1, process::unkillable_note(1, kills_.kills));
      gone_ = true;
      return;
    }
    kills_.begin(rules, now);
    if (is_empty(SIGKILL)) return;  // fq-imp ends by itself
  }
  timers_[Timer::kill] = std::max(now + kKillAgain, kills_.next);
}

bool Keeper::is_empty(int signal) {
  try {
    return !meeting::kill_by_imp(imp_, *launch_.signed_start, launch_.id, launch_.attempt, signal);
  } catch (const Error&) {
    return false;
  }
}

void Keeper::confirm_empty() {
  // fq-imp ends when nothing is left; but it may have been killed.
  const process::KillRules rules{launch_.kill_grace_s, launch_.max_kill_count};
  while (!gone_ && !is_empty(SIGKILL)) {
    const double now = clock_.boot_time();
    if (kills_.is_due(now)) {
      if (kills_.are_over(rules)) {
        raise(meeting::kUnkillable, 1, process::unkillable_note(1, kills_.kills));
        return;
      }
      kills_.begin(rules, now);
    }
    pause_for(kKillAgain);
  }
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

}  // namespace

meeting::ShellOutcome run_keeper(const meeting::JobFiles& files, const meeting::LaunchPlan& plan,
                                 const Clock& clock, const std::string& imp) {
  return Keeper{files, plan, clock, imp}.run();
}

}  // namespace fq::shell
