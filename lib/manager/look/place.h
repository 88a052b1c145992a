// Answers to the requests of request/place.h.

#pragma once

#include <optional>
#include <string>

#include "manager/engine/session.h"
#include "meeting/job_files.h"
#include "notation/fluid.h"
#include "request/place.h"

namespace fq::manager {

[[nodiscard]] request::TasksReply tasks_of(const Session& session, notation::JobId id);
[[nodiscard]] request::InstancesReply instances_of(const Session& session,
                                                   const request::InstancesRequest& request);
/// The store of the instance inside a running job; nothing where it has none, or has not used it. In a shared
/// store it is what the job says, which only its user can look at.
[[nodiscard]] std::optional<std::string> instance_inside(const meeting::JobFiles& files, notation::JobId id);

}  // namespace fq::manager
