// Requests on their way into this process: each is answered by the store that has what it is about, or by all
// of them, and what they say made one answer.

#pragma once

#include <cstddef>

#include "manager/engine/session.h"
#include "meeting/job_files.h"

namespace fq::door {

/// As manager::serve; where queues of the store are instances of their own, it is asked of these, too.
void serve(const manager::Session& session, std::size_t kind, const void* request, void* reply,
           const void* rows);

/// The session for the store that has the job, be it one that nobody has.
[[nodiscard]] manager::Session session_of(const manager::Session& session, notation::JobId id);

}  // namespace fq::door
