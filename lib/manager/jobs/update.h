// Changing what a job asks for after its submission (RFC 21 jobspec-update): its time limit, its name, where
// it may run. The submitted jobspec stays as it is.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manager/core/bulk.h"

namespace fq::manager {

struct UpdateRequest {
  std::vector<JobId> ids;
  std::string updates = "{}";               ///< JSON object: dotted path into the jobspec → its new value
  std::optional<double> duration_change_s;  ///< added to the time limit; negative takes off
  std::optional<std::uint8_t> urgency;
  bool dry_run = false;
};

struct UpdatedJob {
  JobId id;
  std::string updates;  ///< what was changed, JSON as in the request, with the time limit that came of it
};

/// Each job gets all of the changes (with dry_run: would get) or is refused. A job that waits is checked anew
/// as at its submission. Of one that runs only its time limit (by the owner alone), its name and
/// attributes.user can be changed; its shell obeys a new limit at once. The owner of the store may change a
/// job of another user beyond limits and access of its queue; its user can change it no more then. Throws
/// Error{invalid} when `updates` is no object.
[[nodiscard]] BulkReply<UpdatedJob> update_jobs(const Session& session, const UpdateRequest& request);

}  // namespace fq::manager
