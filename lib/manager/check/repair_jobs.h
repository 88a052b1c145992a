// The first part of a repair: the documents of jobs. Afterwards each job's documents can be replayed, and
// what running jobs hold is in the inventory and held once.

#pragma once

#include <string>

#include "manager/check/check_jobs.h"
#include "manager/engine/session.h"
#include "store/transaction.h"

namespace fq::manager {

/// Commits as it goes. REQUIRES the store lock. `report`, `aside`: as in manager/check/repair.h.
void repair_jobs(const Session& session, store::Transaction& transaction, const std::string& aside,
                 const Report& report);

}  // namespace fq::manager
