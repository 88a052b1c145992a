// Following one job: what a command that shows it as it goes on looks at each time it may have changed. All
// of one reply is from one committed state.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "job/job.h"
#include "manager/engine/session.h"
#include "manager/look/document_reader.h"
#include "manager/look/why.h"
#include "request/follow.h"

namespace fq::manager {

using request::FollowReply;
using request::FollowRequest;

/// Jobs whose shell was killed are repaired before. Throws Error{not_found} `job ƒ… does not exist`, or
/// `job ƒ… was purged`.
[[nodiscard]] FollowReply follow_job(const Session& session, const FollowRequest& request);

}  // namespace fq::manager
