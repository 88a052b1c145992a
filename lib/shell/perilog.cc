#include "shell/perilog.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <map>
#include <optional>

#include <poll.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fault_point.h"
#include "base/text.h"
#include "document/event/output.h"
#include "document/jobspec/jobspec.h"
#include "document/resource/resource_set.h"
#include "meeting/append_file.h"
#include "meeting/control.h"
#include "meeting/leftovers.h"
#include "meeting/session_log.h"
#include "meeting/standing.h"
#include "meeting/task_record.h"
#include "notation/fsd.h"
#include "process/machine/baseline.h"
#include "process/start/process.h"
#include "process/start/read_available.h"
#include "process/start/roots_program.h"
#include "process/tree/job_mark.h"
#include "process/tree/process_tree.h"
#include "shell/environment.h"
#include "shell/shell_signals.h"

namespace fq::shell {

using document::PerilogKind;
using meeting::PerilogOutcome;

namespace {

// So much of its output is kept.
constexpr std::size_t kMaxKept = 256U << 10U;
// And so much of its last line on stderr is said where it failed.
constexpr std::size_t kMaxComplaint = 200;
constexpr double kPollEnd = 0.05;      // where there is no pidfd
constexpr double kPollControl = 1.0;   // where there is no inotify
constexpr double kLongSleep = 60;      // poll() does not count the time that the machine is suspended
constexpr double kKillAgain = 0.05;    // what was forked meanwhile is found by the next try
constexpr double kKillPatience = 5.0;  // for what it leaves behind
constexpr int kNotRun = 126 << 8;      // wait status of what could not be started
constexpr std::string_view kPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// What it writes, in the guest document. That of a lost attempt is kept beside it.
class Log {
 public:
  Log(const std::string& path, std::uint32_t attempt, const Clock& clock) : clock_(clock) {
    try {
      if (attempt > 1) ::rename(path.c_str(), fmt::format("{}.{}", path, attempt - 1).c_str());
      file_ = meeting::AppendFile{path, true};
      put({document::output_header_event(clock_.now(), document::OutputHeader::for_tasks(1))});
    } catch (const Error&) {
      file_ = {};
    }
  }

  void write(bool is_error, std::string_view bytes) {
    if (is_error) note_complaint(bytes);
    const std::string_view kept = bytes.substr(0, kMaxKept - kept_);
    kept_ += kept.size();
    lost_ += bytes.size() - kept.size();
    if (!kept.empty()) put((is_error ? err_ : out_).write(clock_.now(), kept));
  }

  void close() {
    put(out_.close(clock_.now()));
    put(err_.close(clock_.now()));
    if (lost_ == 0) return;
    document::OutputLog message;
    message.level = 4;
    message.message = fmt::format("{} of output more are not kept", counted(lost_, "byte"));
    put({document::output_log_event(clock_.now(), message)});
  }

  /// The last line on stderr that is not empty, cut.
  [[nodiscard]] std::string complaint() const {
    std::string_view text = errors_;
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
      text.remove_suffix(1);
    text = text.substr(text.rfind('\n') + 1);
    return printable(text.substr(0, kMaxComplaint));
  }

 private:
  // A full disk takes nothing of the job with it: what cannot be written is lost.
  void put(const std::vector<document::Event>& events) {
    if (!file_.valid()) return;
    try {
      for (const document::Event& event : events) file_.append(document::encode_event(event));
      file_.drop_kept();
    } catch (const Error&) {
      file_ = {};
    }
  }

  void note_complaint(std::string_view bytes) {
    constexpr std::size_t kRemembered = 4096;
    errors_ += bytes.substr(bytes.size() - std::min(bytes.size(), kRemembered));
    if (errors_.size() > kRemembered) errors_.erase(0, errors_.size() - kRemembered);
  }

  const Clock& clock_;
  meeting::AppendFile file_;
  document::OutputEncoder out_{"stdout", notation::Idset::decode("0")};
  document::OutputEncoder err_{"stderr", notation::Idset::decode("0")};
  std::size_t kept_ = 0, lost_ = 0;
  std::string errors_;
};

const std::optional<meeting::PerilogPlan>& plan_of(const meeting::LaunchPlan& launch, PerilogKind kind) {
  if (kind == PerilogKind::housekeeping) return launch.housekeeping;
  return kind == PerilogKind::prolog ? launch.prolog : launch.epilog;
}

class PerilogRun {
 public:
  PerilogRun(const meeting::JobFiles& files, const meeting::LaunchPlan& launch, PerilogKind kind,
             const Clock& clock)
      : files_(files),
        launch_(launch),
        plan_(*plan_of(launch, kind)),
        kind_(kind),
        clock_(clock),
        log_(fmt::format("{}/{}", files.guest(launch.id), document::name(kind)), launch.attempt, clock) {}

  PerilogOutcome run() {
    prepare_process();
    set_expiration(launch_.expiration);
    watch_control();
    on_control();
    if (outcome_.canceled) {
      outcome_.status = SIGTERM;
    } else if (start()) {
      fault_point("perilog-began");
      while (!exited_) {
        wait();
        on_time();
      }
      conclude();
    }
    end_what_is_left();
    log_.close();
    outcome_.t_finish = clock_.now();
    fault_point("perilog-ended");
    return std::move(outcome_);
  }

 private:
  void prepare_process() {
    if (!launch_.baseline.empty()) process::restore(process::Baseline::decode(launch_.baseline));
    process::set_subreaper(true);
    block_signals();
  }

  void watch_control() {
    control_.emplace(files_, launch_.id);
    inotify_.reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (inotify_.valid() &&
        ::inotify_add_watch(inotify_.get(), files_.control(launch_.id).c_str(), IN_MODIFY) < 0)
      inotify_.reset();
  }

  void on_control() {
    char events[4096];
    while (inotify_.valid() && ::read(inotify_.get(), events, sizeof events) > 0) {
    }
    if (!control_) return;
    // Signals to the tasks are for those who run them, and read all orders again.
    for (const meeting::ControlOrder& order : control_->read()) {
      if (const auto* signal = std::get_if<meeting::ControlEpilogSignal>(&order)) {
        if (kind_ != PerilogKind::prolog) static_cast<void>(process::Terminator{}.tell(signal->number));
      } else if (const auto* expiration = std::get_if<meeting::ControlExpiration>(&order)) {
        set_expiration(expiration->time);
      } else if (std::holds_alternative<meeting::ControlCancel>(order) && kind_ != PerilogKind::epilog) {
        outcome_.canceled = true;
        end();
      }
    }
  }

  void set_expiration(double time) {
    expiration_ = INFINITY;
    if (kind_ == PerilogKind::prolog && time > 0) expiration_ = clock_.boot_time() + (time - clock_.now());
  }

  bool start() {
    command_.arguments = plan_.command;
    command_.environment = perilog_environment(files_, launch_);
    command_.stdin_path = "/dev/null";
    const auto record = [&](const std::vector<process::StartedTask>& started) {
      meeting::AppendFile records{files_.tasks(launch_.id), false};
      records.append(meeting::encode_record(meeting::own_session(launch_.attempt, launch_.boot_id)));
      for (const process::StartedTask& task : started)
        records.append(meeting::encode_record(meeting::TaskRecord{launch_.attempt, task.pid, task.start_time,
                                                                  launch_.boot_id, meeting::kPerilogRank}));
      if (records.kept() > 0) throw system_error("cannot record the process", ENOSPC);
    };
    try {
      if (const std::string why = process::why_not_roots(files_.store(), plan_.command.front()); !why.empty())
        throw Error{Kind::permission, why};
      if (::chdir("/") != 0) throw system_error("cannot enter '/'", errno);
      task_ = std::move(process::start_tasks({command_}, record).front());
      pidfd_ = process::open_process({task_.pid, task_.start_time});
    } catch (const Error& failure) {
      outcome_.status = kNotRun;
      outcome_.note = fmt::format("cannot be started: {}", failure.what());
      return false;
    }
    if (plan_.timeout_s > 0) timeout_ = clock_.boot_time() + plan_.timeout_s;
    return true;
  }

  void wait() {
    pollfd fds[] = {{pidfd_.get(), POLLIN, 0},
                    {task_.out.get(), POLLIN, 0},
                    {task_.err.get(), POLLIN, 0},
                    {inotify_.get(), POLLIN, 0}};
    double until =
        std::min({ending_ ? kill_at_ : std::min(timeout_, expiration_), clock_.boot_time() + kLongSleep});
    if (control_ && !inotify_.valid()) until = std::min(until, clock_.boot_time() + kPollControl);
    if (!pidfd_.valid()) until = std::min(until, clock_.boot_time() + kPollEnd);
    const double left = std::max(0.0, until - clock_.boot_time());
    ::poll(fds, std::size(fds), static_cast<int>(std::ceil(left * 1000)));
    read_output(task_.out, false);
    read_output(task_.err, true);
    on_control();
    int status = 0;
    if (::waitpid(task_.pid, &status, WNOHANG) != task_.pid) return;
    exited_ = true;
    outcome_.status = status;
    read_output(task_.out, false);
    read_output(task_.err, true);
  }

  void read_output(UniqueFd& fd, bool is_error) {
    process::read_available(fd, [&](std::string_view bytes) { log_.write(is_error, bytes); });
  }

  void on_time() {
    if (exited_) return;
    const double now = clock_.boot_time();
    if (!ending_ && now >= expiration_) {
      outcome_.expired = true;
      end();
    } else if (!ending_ && now >= timeout_) {
      timed_out_ = true;
      end();
    }
    if (!ending_ || now < kill_at_) return;
    static_cast<void>(process::Terminator{}.tell(SIGKILL));
    kill_again_ = std::min(2 * kill_again_, 2.0);
    kill_at_ = now + kill_again_;
  }

  void end() {
    if (std::exchange(ending_, true)) return;
    static_cast<void>(process::Terminator{}.tell(SIGTERM));
    kill_at_ = clock_.boot_time() + plan_.kill_timeout_s;
  }

  // The words of its end; one that was ended has not done its work, whatever it says.
  void conclude() {
    const int status = outcome_.status;
    if ((timed_out_ || outcome_.expired) && status == 0) outcome_.status = SIGTERM;
    if (outcome_.status == 0) return;
    bool pending = false;
    if (const auto reason = process::start_failure(task_.failed, pending)) {
      outcome_.note = fmt::format("cannot be run: {}", process::why_not_run(command_, *reason));
    } else if (timed_out_) {
      outcome_.note = fmt::format("timed out after {}", notation::format_fsd_digits(plan_.timeout_s));
    } else if (WIFSIGNALED(status)) {
      outcome_.note = fmt::format("was ended by signal {}", WTERMSIG(status));
    } else {
      outcome_.note = fmt::format("exited with {}", WEXITSTATUS(status));
    }
    if (const std::string complaint = log_.complaint(); !complaint.empty()) outcome_.note += ": " + complaint;
  }

  void end_what_is_left() {
    if (kind_ == PerilogKind::prolog && outcome_.status == 0) return;
    const double until = clock_.boot_time() + kKillPatience;
    while (process::Terminator{}.tell(SIGKILL) > 0 && clock_.boot_time() < until) pause_for(kKillAgain);
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }

  const meeting::JobFiles& files_;
  const meeting::LaunchPlan& launch_;
  const meeting::PerilogPlan& plan_;
  PerilogKind kind_;
  const Clock& clock_;
  Log log_;
  PerilogOutcome outcome_;
  process::TaskCommand command_;
  process::StartedTask task_;
  std::optional<meeting::ControlReader> control_;
  UniqueFd inotify_, pidfd_;
  // Boot times.
  double expiration_ = INFINITY, timeout_ = INFINITY, kill_at_ = INFINITY;
  double kill_again_ = kKillAgain;
  bool exited_ = false, ending_ = false, timed_out_ = false;
};

}  // namespace

std::vector<std::string> perilog_environment(const meeting::JobFiles& files,
                                             const meeting::LaunchPlan& plan) {
  const auto jobspec = document::Jobspec::parse(plan.jobspec);
  const auto r = document::ResourceSet::parse(plan.R);
  std::map<std::string, std::string> variables;
  const auto set_both = [&](std::string_view name, const std::string& value) {
    variables[fmt::format("FLUX_JOB_{}", name)] = value;
    variables[fmt::format("FQ_JOB_{}", name)] = value;
  };
  variables["PATH"] = kPath;
  set_both("ID", job_id_text(plan.housekeeping ? plan.of : plan.id, jobspec));
  set_both("USERID", std::to_string(plan.userid));
  set_both("NNODES", std::to_string(r.ranks().count()));
  set_both("RANKS", r.ranks().encode());
  set_both("NODELIST", r.nodelist());
  set_both("NAME", jobspec.name());
  set_both("QUEUE", jobspec.queue());
  set_both("CWD", jobspec.cwd());
  if (plan.status) variables["FQ_JOB_WAITSTATUS"] = std::to_string(*plan.status);
  variables["FQ_STORE"] = meeting::addressed_store(files.store());
  variables[std::string{process::kMarkName}] =
      process::job_mark(files.identity(), plan.id) + std::to_string(plan.attempt);
  std::vector<std::string> environment;
  for (const auto& [name, value] : variables) environment.push_back(fmt::format("{}={}", name, value));
  return environment;
}

PerilogOutcome run_perilog(const meeting::JobFiles& files, const meeting::LaunchPlan& plan, PerilogKind kind,
                           const Clock& clock) {
  const ContinuedClock store_clock(plan.time, plan.boot_time, clock);
  const bool is_epilog = kind == PerilogKind::epilog;
  // Of shells that were killed directories may be left.
  if (is_epilog && plan.attempt > 1) meeting::remove_places(files, plan.id);
  const auto& of = plan_of(plan, kind);
  if (!of || of->command.empty()) {
    PerilogOutcome nothing;
    nothing.t_finish = store_clock.now();
    return nothing;
  }
  return PerilogRun{files, plan, kind, store_clock}.run();
}

}  // namespace fq::shell
