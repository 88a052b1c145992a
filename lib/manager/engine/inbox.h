// Ends of jobs that wait for the store lock. Opening the database is the price of a transaction, so the
// holder of the lock serves those who wait for it: a shell that has recorded its job's end leaves a note in
// inbox/ before it goes for the lock, the holder ends the noted jobs with its own work, and the shell, once
// it has the lock, finds that there is nothing left to do. A note says no more than that the guest directory
// is worth a look: lost or stale ones do no harm.

#pragma once

#include "manager/core/change.h"

namespace fq::manager {

/// For the shell of `id`, which has recorded the outcome (meeting/exec_log.h). Where the note cannot be left
/// the shell ends the job itself.
void announce_end(const meeting::JobFiles& files, JobId id) noexcept;
/// Whether somebody has ended the job. REQUIRES the store lock.
[[nodiscard]] bool end_served(const meeting::JobFiles& files, JobId id);

/// Ends the announced jobs and removes the notes on those that have ended. A job whose guest files are too
/// large to be handled under the lock is left to its shell.
void serve_announced_ends(Change& change);

}  // namespace fq::manager
