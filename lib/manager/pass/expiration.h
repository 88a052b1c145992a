// Proposing a new end for the allocation of a running job to the scheduler that serves it (RFC 27
// §Expiration). One that is a program is asked before, without the lock.

#pragma once

#include <map>

#include "manager/core/change.h"
#include "sched/scheduler.h"

namespace fq::manager {

/// What a scheduler has said of a new end, seconds since the epoch; 0: none.
struct AskedExpiration {
  double expiration = 0;
  sched::ExpirationReply reply;
};
using AskedExpirations = std::map<JobId, AskedExpiration>;

/// What the scheduler of the job's queue says; one that fails refuses.
[[nodiscard]] sched::ExpirationReply ask_expiration(Change& change, const job::Job& job, double expiration);

/// The same under the lock, with what programs have `said` before. Refused where the job would run into what
/// is reserved. Of a queue that is gone nobody says anything.
[[nodiscard]] sched::ExpirationReply propose_expiration(Change& change, const job::Job& job,
                                                        double expiration, const AskedExpirations& said);

}  // namespace fq::manager
