// Answers to the requests of request/place.h.

#pragma once

#include "manager/engine/session.h"
#include "request/place.h"

namespace fq::manager {

[[nodiscard]] request::TasksReply tasks_of(const Session& session, notation::JobId id);
[[nodiscard]] request::InstancesReply instances_of(const Session& session,
                                                   const request::InstancesRequest& request);

}  // namespace fq::manager
