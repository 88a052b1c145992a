// Jobs that should have a shell and have none. What the dead shell recorded is posted; where no task had
// started another shell is, and where a prolog, an epilog or housekeeping was run, which is begun anew; else
// the job ends with an exception and what lives of it is killed. Nobody waits for that under the lock: while
// a process is left the job stays in CLEANUP with all that it has, and whoever comes by, or the waker at the
// time that is set for it, looks again.

#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/clock.h"
#include "document/config/config_jobs.h"
#include "manager/core/change.h"
#include "process/tree/kill_rounds.h"
#include "records/leftovers.h"

namespace fq::manager {

/// A job that keeps losing its shell before any task has started is given up after so many attempts.
inline constexpr std::uint32_t kMaxAttempts = 10;
/// And its epilog after so many, those of the job included.
inline constexpr std::uint32_t kMaxAttemptsWithEpilog = 2 * kMaxAttempts;

/// The wait status of a shell that was killed: what `finish` says of a job whose shell is gone.
inline constexpr std::int32_t kKilledStatus = 9;

/// Jobs that have started and are not over, by state.
[[nodiscard]] std::vector<JobId> running_jobs(const store::Reader& reader);

/// Does that for each. Also does again what a writer that died left undone for shells that live.
void repair_lost_shells(Change& change);

/// The waker sees to what should have been done so many seconds ago.
inline constexpr double kPatience_s = 1;

/// The boot time at which the shells that live are to be looked at again: one whose job's time limit has
/// passed, or that was told to end its tasks, does so unless it was stopped. One that does not move though it
/// was continued is looked at once a minute. REQUIRES that the pass has run.
[[nodiscard]] std::optional<double> next_look_at_shells(Change& change);

/// Whether there are such jobs of which something is to be done now, for a reader; it looks at no more than
/// `limit` running jobs, and leaves the waker those whose start was left to it.
[[nodiscard]] bool has_lost_shell(const store::Reader& reader, const meeting::JobFiles& files,
                                  const Clock& clock, std::size_t limit);

/// Whether a look for them is worth it: a kill is due, or all that lived at the last look have ended.
[[nodiscard]] bool look_is_due(const records::Leftovers& leftovers, double boot_time);
/// The boot time at which to look again, found at `boot_time` that some live: soon at first, and within a
/// minute for ever, for nobody tells of their end.
[[nodiscard]] double next_look(const records::Leftovers& leftovers, double boot_time);

/// `2 processes are left after 3 kill attempts`; nothing for a job without leftovers.
[[nodiscard]] std::optional<std::string> leftovers_text(const store::Reader& reader, JobId id);

}  // namespace fq::manager
