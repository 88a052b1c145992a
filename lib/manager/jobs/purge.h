// Removing inactive jobs with all that is kept of them (RFC 16). What dependencies on them need stays.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manager/core/bulk.h"

namespace fq::manager {

struct PurgeRequest {
  std::vector<JobId> ids;                  ///< these jobs, or
  std::optional<double> age_limit_s;       ///< those that ended longer ago, and
  std::optional<std::uint64_t> num_limit;  ///< the oldest beyond so many, or
  bool configured = false;                 ///< those beyond the limits of the configuration
  bool dry_run = false;
  std::optional<std::string> archive;  ///< a file to write them to before (manager/jobs/job_archive.h)
  std::size_t batch = 1000;            ///< jobs removed in one transaction, at most; > 0
};

struct PurgeReply {
  std::uint64_t purged = 0;     ///< with dry_run: that would be
  std::uint64_t remaining = 0;  ///< inactive jobs that are left
  std::vector<Refusal> refusals;
};

/// In as many transactions as it takes, under one tenure of the lock. It costs what is purged, not what there
/// is. Throws Error{permission} unless the caller is the owner, Error{usage} where the configuration has no
/// limits and is asked for them. Where an archive cannot be written, nothing is purged.
PurgeReply purge(const Session& session, const PurgeRequest& request);

/// Removes some of the jobs that are beyond the limits of the configuration, so many that this costs little:
/// each transaction in which jobs end does a part of it. Who waits for a job's end must find it: those that
/// ended within the last minute stay.
void purge_some(Change& change);

}  // namespace fq::manager
