// Removing inactive jobs with all that is kept of them (RFC 16). What dependencies on them need stays.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "manager/bulk.h"

namespace fq::manager {

struct PurgeRequest {
  std::vector<JobId> ids;                  ///< these jobs, or
  std::optional<double> age_limit_s;       ///< those that ended longer ago, and
  std::optional<std::uint64_t> num_limit;  ///< the oldest beyond so many
  bool dry_run = false;
  std::size_t batch = 1000;  ///< jobs removed in one transaction, at most; > 0
};

struct PurgeReply {
  std::uint64_t purged = 0;     ///< with dry_run: that would be
  std::uint64_t remaining = 0;  ///< inactive jobs that are left
  std::vector<Refusal> refusals;
};

/// In as many transactions as it takes, under one tenure of the lock. It costs what is purged, not what there
/// is. Throws Error{permission} unless the caller is the owner.
PurgeReply purge(const Session& session, const PurgeRequest& request);

}  // namespace fq::manager
