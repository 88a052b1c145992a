// An instance inside a job whose end was moved: it has the job's resources until then (RFC 20).

#pragma once

#include "manager/engine/session.h"

namespace fq::manager {

/// The inventory holds until `expiration`, seconds since the epoch, 0: without end. So do running jobs that
/// have no duration of their own, or less than it for want of time. Nothing changes where that is so already.
/// Throws as request::ReloadRequest is refused.
void move_enclosed_end(const Session& session, double expiration);

}  // namespace fq::manager
