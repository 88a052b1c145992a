// Whether the R that somebody else's scheduler gives a job is one that the job may have: nothing that is not
// there, not up or not free, on nodes that the job's constraint allows, and as much as it asks for.

#pragma once

#include <optional>
#include <string>

#include "document/resource/resource_set.h"
#include "sched/matcher.h"
#include "sched/pool.h"
#include "sched/scheduler.h"

namespace fq::sched {

/// What is wrong with `r` as an answer to `request`, for the administrator (`R: rank 7 is not in the
/// inventory`), or nothing. `matcher` answers for `pool`.
[[nodiscard]] std::optional<std::string> grant_fault(const Pool& pool, Matcher& matcher,
                                                     const AllocRequest& request,
                                                     const document::ResourceSet& r);

/// What is given to a job that is given the cores and GPUs of `r` at `now`: times and properties are not the
/// scheduler's to say; what else it says of them, `scheduling`, stays. REQUIRES that grant_fault finds none.
[[nodiscard]] document::ResourceSet as_granted(const document::ResourceSet& r,
                                               const document::ResourceSet& inventory,
                                               const AllocRequest& request, double now);

}  // namespace fq::sched
