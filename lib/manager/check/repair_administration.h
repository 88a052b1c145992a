// Repair of what administrators have set, as far as it cannot be read: part of manager/check/repair.

#pragma once

#include "manager/check/check_jobs.h"
#include "store/transaction.h"

namespace fq::manager {

/// What cannot be read is replaced by what does least harm, and told: a node stays drained, a queue is
/// stopped, and of logs and records of use those that can be read stay.
void repair_administration(store::Transaction& transaction, const Report& report);

}  // namespace fq::manager
