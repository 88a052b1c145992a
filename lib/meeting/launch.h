// What a shell is told: guest/<id>/launch.json, and the start of the shell itself. A shell reads nothing from
// the database; what is to be done after a prolog, or after the tasks, it is told by the transaction in which
// it reports their end.

#pragma once

#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/file_lock.h"
#include "meeting/job_files.h"

namespace fq::meeting {

/// A prolog or epilog that a shell is to run.
struct PerilogPlan {
  std::vector<std::string> command;  ///< empty: nothing, with success
  double timeout_s = 0;              ///< 0: no limit
  double kill_timeout_s = 10;        ///< seconds from the signal that asks it to end to the first that kills

  friend bool operator==(const PerilogPlan&, const PerilogPlan&) = default;
};

/// What a user signed, of a job that runs as that user by fq-imp(8).
struct SignedStart {
  std::string store;        ///< by which name it was signed for this store
  std::string J;            ///< RFC 15
  std::uint64_t index = 0;  ///< of a job of many; else 0, and no values and no proof
  std::string values;       ///< bytes, as is the proof (signature/merkle.h)
  std::string proof;
  std::uint64_t number = 0;  ///< of the store, by which it is told from others that had its name; 0: none

  friend bool operator==(const SignedStart&, const SignedStart&) = default;
};

struct LaunchPlan {
  notation::JobId id;
  std::uint32_t attempt = 1;  ///< counts the starts of the job, from 1
  std::uint32_t userid = 0;
  std::string jobspec;               ///< RFC 25, JSON text
  std::string R;                     ///< RFC 20, JSON text
  double time = 0;                   ///< the store's time when the start was planned, seconds since the epoch
  double boot_time = 0;              ///< and the machine's boot time then
  double expiration = 0;             ///< seconds since the epoch at which the time limit is reached; 0: none
  int term_signal = SIGTERM;         ///< asks the tasks to end
  double kill_grace_s = 5;           ///< seconds from it to the first kill_signal
  int kill_signal = SIGKILL;         ///< ends what is left
  std::uint32_t max_kill_count = 0;  ///< how often it is sent before the shell gives up; 0: without end
  std::string boot_id;               ///< the boot in which the job was started
  std::string baseline;              ///< the store's recorded baseline as JSON text (baseline.h), or empty
  std::optional<PerilogPlan> prolog;   ///< to be run, before it is known whether the tasks are
  std::optional<PerilogPlan> epilog;   ///< to be run; the tasks are over
  std::optional<std::int32_t> status;  ///< with which they ended, for the epilog; none where there were none
  /// To be run for `of`, a job that has ended: all that this shell does. `id` is then its own, and no job's.
  std::optional<PerilogPlan> housekeeping;
  notation::JobId of;
  std::optional<SignedStart> signed_start;   ///< in a shared store: the tasks are the user's half's
  std::optional<std::uint64_t> most_output;  ///< bytes of each stream of the job, beside its own limit

  friend bool operator==(const LaunchPlan&, const LaunchPlan&) = default;
};

/// The plan as JSON text, and back. decode throws Error{invalid} `launch: …`.
[[nodiscard]] std::string encode_launch(const LaunchPlan& plan);
[[nodiscard]] LaunchPlan decode_launch(std::string_view text);

/// Makes the guest directory ready for `plan`: launch.json, and exec.eventlog with `init` where there is none
/// yet. Orders to an earlier attempt are dropped. Doing it twice is harmless. REQUIRES that nobody can know
/// of the attempt yet. `now` is in seconds since the epoch.
void prepare_guest(const JobFiles& files, const LaunchPlan& plan, double now);

/// The plan in guest/<id>/launch.json. Throws Error{not_found} where there is none.
[[nodiscard]] LaunchPlan read_launch(const JobFiles& files, notation::JobId id);

/// Runs `fq-shell --store DIR ID` (ID in dothex) detached, and gives it the lock as descriptor kAliveFd; this
/// process's share of the lock is closed. Returns the shell's pid. REQUIRES prepare_guest. Throws Error when
/// the program cannot be run; `program` is find_program("fq-shell") when empty.
pid_t start_shell(const JobFiles& files, const LaunchPlan& plan, FileLock alive,
                  const std::string& program = {});

}  // namespace fq::meeting
