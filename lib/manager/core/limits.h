// The limits of a queue (RFC 33 § Limits Policy), held against what a job asks for.

#pragma once

#include "document/config/config.h"
#include "job/job.h"
#include "sched/matcher.h"

namespace fq::manager {

/// Throws Error{refused} `queue 'debug': 2 nodes requested, at most 1 allowed` for the first limit that the
/// job breaks. `facts` has the jobspec part filled. A job without a time limit exceeds every limit of it; one
/// that asks for slots and no nodes counts as the fewest nodes of `matcher`'s pool that could hold it. A
/// QoS may exempt it.
void require_within_limits(const document::QueueConfig& queue, const document::QosConfig& qos,
                           const job::Job& facts, sched::Matcher& matcher);

/// The time limit alone.
void require_within_duration_limit(const document::QueueConfig& queue, const document::QosConfig& qos,
                                   const job::Job& facts);

}  // namespace fq::manager
