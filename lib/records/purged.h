// What is kept of a purged job: how it ended, for the dependencies of jobs that are submitted later.

#pragma once

#include <optional>

#include "base/error.h"
#include "job/job.h"
#include "store/transaction.h"

namespace fq::records {

/// Notes an inactive job that is being purged.
void remember_purged(store::Transaction& transaction, const job::Job& job);

/// Adds `jobs` to the number of jobs that were ever purged.
void count_purged(store::Transaction& transaction, std::uint64_t jobs);
[[nodiscard]] std::uint64_t purged_jobs(const store::Reader& reader);

/// An inactive job with that id, state, result and whether it ran, and nothing else, if it was purged.
[[nodiscard]] std::optional<job::Job> find_purged(const store::Reader& reader, notation::JobId id);

/// Error{not_found} for an id that no job has: `job ƒ… does not exist`, or `job ƒ… was purged`.
[[nodiscard]] Error no_such_job(const store::Reader& reader, notation::JobId id);

}  // namespace fq::records
