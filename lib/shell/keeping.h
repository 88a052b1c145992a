// What the half of a shell that runs the tasks has of the store: where it tells how they go, and from where
// orders and input come. In one's own store that is the job's files (guest_keeping.h), and both halves are
// one process; in a shared one the keeper's, at the other end of two pipes (wire_keeping.h).

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <poll.h>

#include "base/unique_fd.h"
#include "document/event/eventlog.h"
#include "meeting/control.h"
#include "meeting/enclosure.h"
#include "meeting/outcome.h"
#include "meeting/session_log.h"
#include "process/start/pty.h"
#include "shell/output_log.h"
#include "shell/terminal.h"

namespace fq::shell {

inline constexpr double kRetryRoom = 0.2;  ///< seconds between tries on a full disk

class Keeping {
 public:
  virtual ~Keeping() = default;

  /// Opens all that is told of a job of so many tasks. False where there is no room now. Throws Error.
  [[nodiscard]] virtual bool open(std::uint32_t ntasks) = 0;
  /// REQUIRES open; null where it threw.
  [[nodiscard]] virtual OutputLog* output() = 0;
  /// An event of exec.eventlog (meeting/exec_log.h).
  virtual void post(const document::Event& event) = 0;
  /// The last of them, with how the job ended. What was written before is durable then, where it can be.
  virtual void complete(const meeting::ShellOutcome& outcome) = 0;
  /// Wakes who follows the job.
  virtual void touch() = 0;

  /// Begins to look for orders. False where nothing tells of them: they are to be asked for.
  [[nodiscard]] virtual bool watch_orders() = 0;
  /// Adds what is waited for.
  virtual void watch(std::vector<pollfd>& fds) const = 0;
  /// What has come since the last call.
  [[nodiscard]] virtual std::vector<meeting::ControlOrder> orders() = 0;
  /// From where the job's standard input is read, as an event log (RFC 24). Does not block.
  [[nodiscard]] virtual UniqueFd input() = 0;

  /// Records processes, by which who finds the shell dead ends them (meeting/task_record.h). Throws Error
  /// where there is no room.
  virtual void record(std::string_view lines) = 0;
  /// Records a directory that is about to be made.
  virtual void record_tmpdir(const std::string& path) = 0;
  /// The directory of a new control group for the tasks, or empty.
  [[nodiscard]] virtual std::string make_cgroup() = 0;
  /// The log of sessions of a job that has no other sign of its processes; none where it needs none.
  [[nodiscard]] virtual std::optional<meeting::SessionLog> sessions() = 0;
  /// Removes what was recorded: `tmpdir` and `cgroup` of this attempt, and what those before have left.
  virtual void remove_places(const std::string& tmpdir, const std::string& cgroup) = 0;

  /// Whether the job's time limit is kept here.
  [[nodiscard]] virtual bool keeps_time() const = 0;

  /// What it takes for the job's instance to end when the shell does, however it ends: what others have
  /// started there is no child of it. `tmpdir` is the job's. To be kept open; may be none. Throws Error.
  [[nodiscard]] virtual UniqueFd show_life(const std::string& tmpdir) = 0;
  /// Ends what others have started in the job's instance, whose store is `instance`, once the job's own
  /// processes are over: it is part of the job, and no child of the shell.
  virtual void end_instance(const std::string& instance) = 0;

  /// FLUX_JOB_GUEST_DIR; once no process is left what is in it is taken. Returns what of it is not kept, in
  /// words.
  [[nodiscard]] virtual std::string own_guest_dir() = 0;
  [[nodiscard]] virtual std::string settle_own_guest() = 0;

  /// Where the store stands that is an instance of a job; none where it is none.
  [[nodiscard]] virtual std::optional<meeting::Enclosure> enclosure() = 0;
  /// The CPUs of each core (process/machine/cpu_map.h).
  [[nodiscard]] virtual std::vector<notation::Idset> cpu_map() = 0;
  /// Opens the terminal to which people come. Throws Error where there cannot be one.
  virtual void open_terminal(std::optional<Terminal>& terminal, notation::JobId id,
                             process::WindowSize window, const Clock& clock) = 0;
};

}  // namespace fq::shell
