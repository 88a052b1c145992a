// One run of the job shell: set-up, the poll loop, the end. See shell.h for what it promises.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/unique_fd.h"
#include "document/jobspec/jobspec.h"
#include "document/jobspec/shell_options.h"
#include "document/jobspec/task_plan.h"
#include "document/jobspec/template.h"
#include "meeting/session_log.h"
#include "process/start/process.h"
#include "process/tree/kill_rounds.h"
#include "process/tree/process_tree.h"
#include "shell/input.h"
#include "shell/keeping.h"
#include "shell/output.h"
#include "shell/pmi/server.h"
#include "shell/shell.h"
#include "shell/terminal.h"
#include "shell/timers.h"

namespace fq::shell {

inline constexpr int kSignalBase = 128;      ///< exit code of a task that a signal ended, less its number
inline constexpr double kRetryOutput = 0.2;  ///< seconds between tries on a full disk

/// The exit code that stands for a wait status.
[[nodiscard]] int exit_code_of(int wait_status);

class ShellRun {
 public:
  /// All outlive this. Of the store's files only the names count.
  ShellRun(const meeting::JobFiles& files, const meeting::LaunchPlan& launch, const Clock& clock,
           Keeping& keeping);
  ShellRun(const ShellRun&) = delete;
  ShellRun& operator=(const ShellRun&) = delete;

  [[nodiscard]] meeting::ShellOutcome run();

 private:
  /// A task that was started. Its pid is its own until `exited`.
  struct Task {
    pid_t pid = 0;
    UniqueFd out;
    UniqueFd err;
    UniqueFd failed;
    bool exited = false;
    UniqueFd terminal;  ///< held open for the task, so that it has not ended while the task lives
  };
  /// A pipe that can be read: of a stream, or the one that tells whether the task could be executed.
  struct Ready {
    std::uint32_t rank;
    std::optional<Stream> stream;
  };
  struct TaskExit {
    std::uint32_t rank;
    int wait_status;
  };
  /// What happens when its time comes; times are boot time.
  enum class Timer {
    expiration,
    warning,
    exit_timeout,
    ask,
    kill,
    retry_output,
    poll_control,
    sessions,
    terminal
  };

  // Set-up (shell_setup.cc). Each throws Error for what makes the job impossible.
  void prepare_process();
  void read_job();
  void open_logs();
  void watch_control();
  void enter_directory();
  void open_streams();
  void start_all();
  /// Whether the task runs on a terminal, and on the one to which people come.
  [[nodiscard]] bool on_terminal(std::uint32_t rank) const;
  [[nodiscard]] bool is_interactive(std::uint32_t rank) const;
  [[nodiscard]] process::TaskCommand command_for(const document::PlannedTask& task);
  /// What the task on the terminal with this other side has as input is typed there.
  void type_input(std::uint32_t rank, const UniqueFd& master);
  /// Throws Error{invalid} where tasks are to be bound to CPUs that this machine has not.
  void check_cpu_map() const;
  [[nodiscard]] std::optional<notation::Idset> cpus_for(const document::PlannedTask& task) const;
  [[nodiscard]] document::TemplateValues template_values() const;
  /// Where a task's input is read from, without the input service.
  [[nodiscard]] std::string stdin_path(const document::TemplateValues& values) const;
  void record(const std::vector<process::StartedTask>& started);

  // The loop, and the end (shell_run.cc, shell_end.cc).
  void loop();
  /// Sleeps until something happens; what tasks have to tell is in ready_ then.
  void wait();
  void on_signals();
  void on_control();
  /// The store of the job's instance, if it has one and has used it.
  [[nodiscard]] std::optional<std::string> instance_inside() const;
  /// Tells the job's instance when it ends now.
  void move_instance_end(double expiration);
  void reap();
  void on_exit(std::uint32_t rank, int wait_status);
  void check_started(std::uint32_t rank);
  /// Reads what a pipe has now, at most once when `once`; closes it at its end.
  void read_output(std::uint32_t rank, Stream stream, std::size_t most);
  void take_output(std::uint32_t rank, Stream stream, std::string_view bytes);
  void drain();
  void serve_terminal();
  /// Ends the interactive terminal; what nobody has seen goes where stdout goes.
  void end_terminal();
  /// Ends what the store has, where that is an instance inside a job whose shell is gone.
  void heed_encloser();
  /// Ends the job where a task says so by PMI.
  void heed_pmi();
  void heed(const meeting::ControlSignal& order);
  /// `ranks`: of the tasks that get it; none: all.
  void signal_tasks(int number, const std::optional<notation::Idset>& ranks = std::nullopt);
  void fail(const std::string& note, std::optional<int> wait_status = std::nullopt);
  void post(std::string_view name, nlohmann::json context);
  void raise(std::string_view type, int severity, const std::string& note,
             std::optional<int> wait_status = std::nullopt);
  /// `NAME: task rank RANK on host HOST`.
  [[nodiscard]] std::string task_words(std::uint32_t rank) const;
  void log(int level, const std::string& message);
  /// Tells what the shell does, where that is asked for.
  void tell(const std::string& message);
  [[nodiscard]] bool all_exited() const { return running_ == 0; }
  /// Keeps the instance of a batch job that is to be kept, when its tasks are over.
  void keep_instance();
  [[nodiscard]] meeting::ShellOutcome finish();

  // Timers (shell_timers.cc).
  void set_expiration(double time);
  void on_time();
  void on_timer(Timer timer);
  void end_tasks();
  void ask_to_end();
  void kill_what_is_left();
  void give_up();
  /// Something happened that may have come with a new session.
  void expect_sessions();

  const meeting::JobFiles& files_;
  const meeting::LaunchPlan& launch_;
  const Clock& clock_;
  Keeping& keeping_;

  std::optional<document::Jobspec> jobspec_;
  document::ShellOptions options_;
  document::TaskPlan plan_;
  std::string id_text_;
  std::vector<std::string> inherited_;  ///< what of the store's baseline could not be restored, in words
  std::string tmpdir_;
  std::string parent_;                         ///< path of the store that encloses this one, or empty
  std::string host_file_;                      ///< for mpirun; empty: none
  std::optional<notation::Idset> gpus_shown_;  ///< where others cannot be opened
  std::string pmi_library_;                    ///< for programs that load one; empty: none
  std::string cgroup_;                         ///< directory of the attempt's control group, or empty
  std::vector<notation::Idset> cpu_map_;
  process::NumaMap numa_map_;  ///< of who wants memory from there
  process::FittedLimits
      limits_;  ///< of the tasks; the first is that of open files, which the shell raises for itself
  int oom_score_ = 0;

  std::optional<OutputRouter> output_;
  std::optional<InputFeeder> input_;
  std::optional<Terminal> terminal_;
  std::optional<pmi::Server> pmi_;
  std::optional<meeting::SessionLog> sessions_;
  std::vector<UniqueFd> stdin_;  ///< by rank; none where the task opens its own

  UniqueFd signals_;
  UniqueFd life_;      ///< of this shell, for what its job's instance runs elsewhere
  UniqueFd encloser_;  ///< the same of the job around the store; none where none is shown

  std::vector<Task> tasks_;                          ///< by rank, as far as started
  std::unordered_map<pid_t, std::uint32_t> by_pid_;  ///< those that have not exited
  std::size_t running_ = 0;
  Timers<Timer> timers_;
  std::vector<Ready> ready_;
  bool ending_ = false;  ///< the tasks were told to end
  bool canceled_ = false;
  process::Terminator asker_, killer_;
  double ask_again_ = 0;                ///< seconds to the next look for processes that were not asked to end
  double kill_again_ = 0;               ///< and for those that were not killed, once the grace is over
  process::KillRounds kills_;           ///< of every process
  bool gone_ = false;                   ///< no process of the job is left, or waited for
  int exit_code_ = 0;                   ///< the greatest so far
  std::optional<TaskExit> first_exit_;  ///< of those after which the others have not forever
  std::vector<meeting::ControlSignal> early_signals_;  ///< orders that came before the tasks were started
  std::vector<std::string> early_;                     ///< messages from before the output log was open
  std::vector<document::Event> exceptions_;
};

}  // namespace fq::shell
