// What running jobs are charged for: from the allocation to its end what a job holds counts as usage of its
// user in its bank, of every bank above, and of whatever else has limits that it counts in. Only these two
// moments are written (priority/use.h), and what an update does to its end.

#pragma once

#include "document/resource/resource_set.h"
#include "manager/core/change.h"
#include "priority/use.h"
#include "records/charges.h"
#include "records/limited_uses.h"
#include "records/tallies.h"

namespace fq::manager {

/// What an allocation holds of each resource. A node counts for each job that has a part of it.
[[nodiscard]] priority::Amounts charged_amounts(const document::ResourceSet& r);

/// From now on the job holds `r`. Charges nobody where there are no accounts and no limits, or the job's user
/// is in no bank.
void charge_start(Change& change, const job::Job& job, const document::ResourceSet& r);
/// It no longer does: what it held from its start until now is told to reports, too.
void charge_end(Change& change, const job::Job& job);
/// The time by which it will have ended is another one.
void charge_until(Change& change, const job::Job& job, double expiration);

/// Where a job counts that is charged so.
[[nodiscard]] records::CountsIn counts_in(const job::Job& job, const records::Charge& charge);

/// Which row of reports a job's use belongs to, but for the hour.
[[nodiscard]] records::TallyKey tally_key(const job::Job& job, const records::Charge& charge);

/// After another configuration was loaded: what is limited now has records of what is in use by the jobs
/// that run, what no longer is has none.
void count_limited_uses(Change& change);

}  // namespace fq::manager
