// Why a job that waits has not started: all that holds it back, at once.

#pragma once

#include <cstddef>
#include <vector>

#include "manager/engine/session.h"
#include "request/find_job.h"
#include "request/why.h"
#include "store/reader.h"

namespace fq::manager {

/// REQUIRES a job that is pending, as it is listed. At most `most_counted` of the jobs before it are counted.
[[nodiscard]] std::vector<request::Reason> pending_reasons(const store::Reader& reader,
                                                           const Session& session, request::ListedJob listed,
                                                           std::size_t most_counted);

}  // namespace fq::manager
