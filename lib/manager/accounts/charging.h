// What running jobs are charged for: from the allocation to its end what a job holds counts as usage of its
// user in its bank, and of every bank above. Only these two moments are written (priority/usage.h).

#pragma once

#include "document/resource_set.h"
#include "manager/change.h"
#include "priority/usage.h"
#include "records/charges.h"
#include "records/tallies.h"

namespace fq::manager {

/// What an allocation holds of each resource. A node counts for each job that has a part of it.
[[nodiscard]] priority::Amounts charged_amounts(const document::ResourceSet& r);

/// From now on the job holds `r`. Charges nobody where there are no accounts, or the job's user is in no
/// bank.
void charge_start(Change& change, const job::Job& job, const document::ResourceSet& r);
/// It no longer does: what it held from its start until now is told to reports, too.
void charge_end(Change& change, const job::Job& job);

/// Which row of reports a job's use belongs to, but for the hour.
[[nodiscard]] records::TallyKey tally_key(const job::Job& job, const records::Charge& charge);

}  // namespace fq::manager
