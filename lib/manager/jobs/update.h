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

/// Each job gets all of the changes (with dry_run: would get) or is refused. A job that waits is checked anew
/// as at its submission. Of one that runs only its time limit (by the owner alone), its name and
/// attributes.user can be changed; its shell obeys a new limit at once. The owner of the store may change a
/// job of another user beyond limits and access of its queue; its user can change it no more then. Throws
/// Error{invalid} when `updates` is no object.
[[nodiscard]] request::BulkReply<UpdatedJob> update_jobs(const Session& session,
                                                         const UpdateRequest& request);

}  // namespace fq::manager
