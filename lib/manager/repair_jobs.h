// The first part of a repair: the documents of jobs. Afterwards each job's documents can be replayed, and
// what running jobs hold is in the inventory and held once.

#pragma once

#include <string>

#include "manager/check_jobs.h"
#include "manager/session.h"
#include "store/transaction.h"

namespace fq::manager {

/// Commits as it goes. REQUIRES the store lock. `report`, `aside`: as in manager/repair.h.
void repair_jobs(const Session& session, store::Transaction& transaction, const std::string& aside,
                 const Report& report);

}  // namespace fq::manager
