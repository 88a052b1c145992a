// Starting jobs and finding those whose shell died.

#pragma once

#include <string>

#include "document/resource_set.h"
#include "manager/change.h"

namespace fq::manager {

/// A job that keeps losing its shell before any task has started is given up after so many attempts.
inline constexpr std::uint32_t kMaxAttempts = 10;

/// Gives `r` to a job and makes it run: R, `alloc`, `start`, the lock of its shell and the plan for it.
/// `annotations` is JSON object text or empty.
void start_job(Change& change, JobId id, const document::ResourceSet& r, const std::string& annotations);

/// Jobs that should have a shell and have none: posts what a dead shell had recorded, starts another one
/// where no task had started, or else kills what is left and fails the
/// job. Also does again what a writer that died left undone for shells that live.
void repair_lost_shells(Change& change);
/// Whether there are such jobs, for a reader; it looks at no more than `limit` running jobs, and leaves the
/// waker those whose start was left to it.
[[nodiscard]] bool has_lost_shell(const store::Reader& reader, const exec::JobFiles& files,
                                  std::size_t limit);

}  // namespace fq::manager
