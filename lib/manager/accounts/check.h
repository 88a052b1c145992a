// Accounts in the check of a whole store: what banks have used is what those in them have, their sums of
// shares are those of what is in them, and what is charged is what running jobs hold.

#pragma once

#include "manager/check/check_jobs.h"
#include "store/transaction.h"

namespace fq::manager {

void check_accounts(const store::Reader& reader, const Report& report);

/// Drops what cannot be read, makes banks again that are missing and have something in them, sums up what
/// banks have from what users have used, and lets go of what jobs no longer hold. `now` is the store's time.
void repair_accounts(store::Transaction& transaction, double now);

}  // namespace fq::manager
