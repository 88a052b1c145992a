// The shell options of a jobspec (`attributes.system.shell.options`) that fq's shell knows, read and checked
// once. Names and forms are Flux's; `mem-affinity`, `umask`, `batch` and `dump` are fq's own.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/json.h"
#include "document/event/output.h"
#include "document/jobspec/jobspec.h"
#include "document/jobspec/soft_limit.h"
#include "document/jobspec/taskmap.h"
#include "notation/idset.h"

namespace fq::document {

/// Which cores, or GPUs, a task is given: all of its node's, none in particular, its own share, or a list.
struct AffinityOption {
  enum class Mode { on, off, per_task, map };
  Mode mode = Mode::on;
  std::vector<notation::Idset> map;  ///< by local task id, used in turn; only for `map`
};

/// Whether a task's memory comes from the NUMA nodes of its cores: rather than from others, in no case, or
/// from these alone.
enum class MemoryAffinity : std::uint8_t { on, off, bind };

/// Where one output stream goes.
struct StreamOption {
  std::string path;  ///< template of the file; empty: the guest output log
  bool label = false;
  bool line_buffered = true;
};

/// Tasks that run on terminals.
struct PtyOption {
  document::OutputRanks ranks;
  bool interactive = false;  ///< of the first of them people may come to the terminal
  bool capture = true;       ///< what is written there goes where stdout goes
  std::uint16_t rows = 24;   ///< of their windows, until somebody comes to one
  std::uint16_t columns = 80;
};

/// Which task runs on which node (RFC 34).
struct TaskmapOption {
  enum class Scheme { block, cyclic, manual };
  Scheme scheme = Scheme::block;
  std::uint32_t stride = 1;  ///< tasks at a time, for `cyclic`
  document::Taskmap map;     ///< for `manual`
};

struct WarningSignal {
  int signum = 10;
  double timeleft = 60;  ///< seconds before the time limit
};

/// Seconds that the other tasks have once one failed, where a job does not say (`exit-timeout`). Flux gives
/// them so long when any has ended, also with success, which ends jobs whose tasks are just not equally long.
inline constexpr double kExitTimeout_s = 30;

struct ShellOptions {
  AffinityOption cpu_affinity;
  AffinityOption gpu_affinity;
  MemoryAffinity memory_affinity = MemoryAffinity::on;
  StreamOption out;
  StreamOption err;
  bool append = false;                    ///< output files are appended to, not truncated
  std::uint64_t output_limit = 1U << 30;  ///< bytes of each stream of the job in the guest output log
  std::string stdin_path;                 ///< file of standard input, or empty
  bool stdin_service = false;             ///< standard input comes from the guest input log
  document::OutputRanks stdin_ranks;      ///< tasks that get it; the others read nothing
  TaskmapOption taskmap;
  std::optional<PtyOption> pty;
  /// Whether tasks are offered PMI-1 (RFC 13): where there are several, never, or in any case.
  enum class Pmi { automatic, off, simple };
  Pmi pmi = Pmi::automatic;
  bool verbose = false;       ///< the shell says what it does
  bool stop_in_exec = false;  ///< tasks stop before their programs run, for debuggers
  std::vector<SoftLimit> rlimits;
  std::optional<mode_t> umask;
  std::optional<int> oom_adjust;
  bool new_process_group = true;
  bool exit_on_error = false;
  std::optional<double> exit_timeout = kExitTimeout_s;  ///< seconds that the others have once a task ended
  bool exit_timeout_is_asked = false;                   ///< else only a task that failed begins it
  std::optional<WarningSignal> signal;
  std::vector<std::pair<std::string, std::string>> env_expand;  ///< variable, template of its value
  std::string dump;  ///< template of the file that the instance of a batch job is kept in, or empty

  /// Seconds that the other tasks have after one that ended so (a wait status); nothing: as long as they
  /// take.
  [[nodiscard]] std::optional<double> patience_after(int wait_status) const;
};

/// Throws Error{combination} where options name tasks that a job of so many has not.
void check_tasks_named(const ShellOptions& options, std::uint64_t ntasks);

/// Whether a file of that name is an archive that an instance can be kept in: `run.tgz`, `run.tar.zst`.
[[nodiscard]] bool is_archive_name(std::string_view path);

/// Reads the options that the shell knows and leaves others alone: a job that is in the store runs. Throws
/// Error{invalid} `jobspec: attributes.system.shell.options.…: …`.
[[nodiscard]] ShellOptions parse_shell_options(const document::Jobspec& jobspec);
/// The same for an object of options. Throws Error{invalid} `PATH.…: …`, Error{combination} where an option
/// that another one needs is missing.
[[nodiscard]] ShellOptions parse_shell_options(const JsonAt& options);

/// Checks the options of a job that is to be submitted: every value, and that the shell knows each of them.
/// Throws as parse_shell_options, for a name `PATH: unknown shell option 'cpu-afinity'` with a near match as
/// hint.
void check_shell_options(const JsonAt& options);
void check_shell_options(const document::Jobspec& jobspec);

}  // namespace fq::document
