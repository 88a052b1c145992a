// The one place where resources change hands: what a job is given, for how long, and what it gives back.
// Pool, charges and limits follow together; the timeline of the next pass is made of what is stored here.

#pragma once

#include "document/resource/resource_set.h"
#include "manager/core/change.h"
#include "records/housekeeping.h"

namespace fq::manager {

/// Gives `r` to a job that holds nothing: its R, its part of the pool, what it is charged and where it
/// counts. The event is the caller's (manager/run/start). REQUIRES that `r` is free.
void allocate(Change& change, JobId id, const document::ResourceSet& r);

/// What a job holds is promised until `expiration`, seconds since the epoch, 0: without end; events and
/// orders to its shell are the caller's.
void extend_allocation(Change& change, JobId id, double expiration);

/// Takes back all that a job holds. Where there is housekeeping to be done, that has it from now on. REQUIRES
/// that it holds something: throws Error{internal} for one without R.
void release_allocation(Change& change, const job::Job& job);

/// Takes back what housekeeping has that is over, and forgets it.
void release_housekeeping(Change& change, const records::Housekeeping& housekeeping);

}  // namespace fq::manager
