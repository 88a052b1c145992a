// One run of a keeper: the loop, what the user's half says, the end. See keeper.h for what it is.

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/unique_fd.h"
#include "document/jobspec/shell_options.h"
#include "process/tree/kill_rounds.h"
#include "shell/guest_keeping.h"
#include "shell/keeper.h"
#include "shell/looker_relays.h"
#include "shell/said_guest.h"
#include "shell/timers.h"
#include "shell/wire.h"

namespace fq::shell {

inline constexpr std::size_t kMaxNote = 4096;  ///< bytes of what the user's half says of itself

[[nodiscard]] inline std::string cut(std::string text, std::size_t most) {
  if (text.size() > most) text.resize(most);
  return printable(text);
}

class Keeper {
 public:
  Keeper(const meeting::JobFiles& files, const meeting::LaunchPlan& launch, const Clock& clock,
         std::string imp)
      : files_(files), launch_(launch), clock_(clock), imp_(std::move(imp)), keeping_(files, launch, clock) {}

  meeting::ShellOutcome run();

 private:
  /// What happens when its time comes; times are boot time.
  enum class Timer { expiration, warning, kill, room };

  // The loop (keeper.cc).
  void start();
  void loop();
  void wait();
  void on_signals();
  void on_orders();
  void read_imp();
  void feed_input();
  void order(const meeting::ControlOrder& order);
  void fail(const std::string& note);
  void raise(std::string_view type, int severity, const std::string& note);
  void log(int level, const std::string& message);
  [[nodiscard]] meeting::ShellOutcome finish();

  // Those who look at the job's terminal (keeper_terminal.cc).
  void open_terminal();
  void watch_lookers(std::vector<pollfd>& fds) const;
  void serve_lookers();
  void end_terminal();

  // What the user's half says (keeper_frames.cc).
  void on_frames();
  void take(const Wire::Frame& frame);
  void take_event(const std::string& line);
  void take_tasks(const std::string& lines);
  void take_place(const std::string& path);
  void take_end(const std::string& status, const std::string& exceptions);
  [[nodiscard]] std::uint32_t task_of(const std::string& text) const;

  // The end (keeper_end.cc).
  void set_expiration(double time);
  void on_time();
  void end_tasks();
  void kill();
  void confirm_empty();
  [[nodiscard]] bool is_empty(int signal);

  const meeting::JobFiles& files_;
  const meeting::LaunchPlan& launch_;
  const Clock& clock_;
  std::string imp_;
  GuestKeeping keeping_;
  document::ShellOptions options_;
  std::uint32_t ntasks_ = 1;
  UniqueFd signals_;
  std::optional<Wire> wire_;
  std::optional<LookerRelays> relays_;  ///< while there is a wire and was a terminal
  UniqueFd listening_;                  ///< for who comes to look at it
  std::uint64_t last_looker_ = 0;
  UniqueFd imp_says_;  ///< its standard error
  std::string imp_said_;
  pid_t imp_pid_ = -1;  ///< until it was reaped
  int imp_status_ = 0;
  UniqueFd input_;
  bool input_taken_ = true;
  std::set<std::pair<std::uint32_t, Stream>> closed_;
  std::size_t events_ = 0, messages_ = 0, tasks_ = 0, places_ = 0;
  std::optional<SaidGuest> guest_;  ///< once there is something of it
  Timers<Timer> timers_;
  process::KillRounds kills_;
  bool ending_ = false;        ///< the tasks were told to end
  bool gone_ = false;          ///< no process of the job is left, or waited for
  std::optional<int> status_;  ///< by the user's half
  std::vector<document::Event> exceptions_;
};

}  // namespace fq::shell
