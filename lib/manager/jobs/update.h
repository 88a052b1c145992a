// Changing what a job asks for after its submission (RFC 21 jobspec-update): its time limit, its name, where
// it may run. The submitted jobspec stays as it is.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manager/core/change.h"
#include "request/alter.h"

namespace fq::manager {

using request::UpdatedJob;
using request::UpdateRequest;

/// Throws as request::UpdateRequest is refused.
[[nodiscard]] request::BulkReply<UpdatedJob> update_jobs(const Session& session,
                                                         const UpdateRequest& request);

}  // namespace fq::manager
