// What was administered: the store's own event log, read.

#pragma once

#include "manager/engine/session.h"
#include "request/log.h"

namespace fq::manager {

/// Throws as request::LogRequest is refused.
[[nodiscard]] request::LogReply read_log(const Session& session, const request::LogRequest& request);

}  // namespace fq::manager
