// Housekeeping of the database, done by job shells after their own work so that nobody waits for it.

#pragma once

#include "manager/session.h"

namespace fq::manager {

/// Merges level-0 files where `condition` says that they have piled up, for a bounded time, if the lock is
/// free right now. Never throws.
void compact_if_due(const Session& session, const StoreCondition& condition) noexcept;

}  // namespace fq::manager
