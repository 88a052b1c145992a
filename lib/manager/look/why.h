// Why a job has not started.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "job/job.h"
#include "manager/engine/session.h"
#include "request/why.h"
#include "store/reader.h"

namespace fq::manager {

using request::Reason;

/// No place in the queue is counted further.
inline constexpr std::size_t kMostCounted = 100'000;

/// Every reason for which a job has not started, those first that nobody but its user or an administrator can
/// do something about, with its place in the queue, counted up to `most_counted`; for a job that has started
/// or ended, what became of it; last an exception that did not end it. Throws Error{not_found} `job ƒ… does
/// not exist`.
[[nodiscard]] std::vector<Reason> why(const store::Reader& reader, const Session& session, notation::JobId id,
                                      std::size_t most_counted = kMostCounted);
/// The same, of one committed state; jobs whose shell was killed are repaired before.
[[nodiscard]] std::vector<Reason> why(const Session& session, notation::JobId id);

}  // namespace fq::manager
