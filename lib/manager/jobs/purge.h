// Removing inactive jobs with all that is kept of them (RFC 16). What dependencies on them need stays.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manager/core/change.h"
#include "request/purge.h"

namespace fq::manager {

using request::PurgeReply;
using request::PurgeRequest;

/// In as many transactions as it takes, under one tenure of the lock. It costs what is purged, not what there
/// is. Throws Error{permission} unless the caller is the owner, Error{usage} where the configuration has no
/// limits and is asked for them. Where an archive cannot be written, nothing is purged.
PurgeReply purge(const Session& session, const PurgeRequest& request);

/// Removes some of the jobs that are beyond the limits of the configuration, so many that this costs little:
/// each transaction in which jobs end does a part of it. Who waits for a job's end must find it: those that
/// ended within the last minute stay.
void purge_some(Change& change);

}  // namespace fq::manager
