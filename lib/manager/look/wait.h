// Waiting for jobs without polling: sleep until one changes, then read again.

#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "job/job.h"
#include "manager/engine/session.h"
#include "notation/fluid.h"
#include "request/wait.h"

namespace fq::manager {

using request::kNoTimeout;

/// Runs `look` over committed states, first at once and then whenever one of `ids` (none: any job) may have
/// changed, until it returns true. Returns false when `timeout_s` passed first. Jobs whose shell was killed
/// are repaired on the way.
bool wait_until(const Session& session, std::span<const notation::JobId> ids, double timeout_s,
                const std::function<bool(const store::Reader&)>& look);

/// Waits until the job is inactive, and returns it. Throws Error{not_found}, Error{timeout}.
[[nodiscard]] job::Job wait_inactive(const Session& session, notation::JobId id,
                                     double timeout_s = kNoTimeout);

/// Waits until all of `ids` are inactive or gone.
void wait_inactive(const Session& session, std::vector<notation::JobId> ids);

/// Waits until one of the caller's waitable jobs has ended whose result nobody has taken, and takes the
/// results of all such, at most `most`, in the order of their end: each is given once. Returns no jobs when
/// the caller has no such job, active or ended, and nothing when `deadline` (boot time) passed first. The
/// active ones of `but` are not waited for: those inside which the caller runs.
[[nodiscard]] std::optional<std::vector<job::Job>> wait_waitable(const Session& session, std::size_t most,
                                                                 double deadline,
                                                                 std::span<const notation::JobId> but = {});
/// Takes the result of the caller's job, so that wait_waitable does not give it. Nothing happens where there
/// is none to take.
void take_result(const Session& session, notation::JobId id);

}  // namespace fq::manager
