// Watching many jobs until they have ended: what has changed among them since the last look.
//
// A look costs what has changed: jobs that came to run or have ended are found by the indexes of states,
// whatever number is watched. All of one reply is from one committed state.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/job.h"
#include "manager/engine/session.h"
#include "request/watch.h"

namespace fq::manager {

using request::StoredLog;
using request::WatchedJob;
using request::WatchNews;
using request::WatchReply;
using request::WatchRequest;

/// Throws as request::WatchRequest is refused.
[[nodiscard]] WatchReply watch_jobs(const Session& session, const WatchRequest& request);

}  // namespace fq::manager
