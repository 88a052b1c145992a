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

/// Throws as request::FollowRequest is refused.
[[nodiscard]] FollowReply follow_job(const Session& session, const FollowRequest& request);

}  // namespace fq::manager
