// Removing inactive jobs with all that is kept of them (RFC 16). What dependencies on them need stays.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "request/refusal.h"

namespace fq::request {

struct PurgeReply {
  std::uint64_t purged = 0;     ///< with dry_run: that would be
  std::uint64_t remaining = 0;  ///< inactive jobs that are left
  std::vector<Refusal> refusals;
};

/// Refused with Error{usage} where the configuration has no limits and is asked for them. Where an archive
/// cannot be written, nothing is purged.
struct PurgeRequest {
  using Reply = PurgeReply;
  std::vector<notation::JobId> ids;        ///< these jobs, or
  std::optional<double> age_limit_s;       ///< those that ended longer ago, and
  std::optional<std::uint64_t> num_limit;  ///< the oldest beyond so many, or
  bool configured = false;                 ///< those beyond the limits of the configuration
  bool dry_run = false;
  std::optional<std::string> archive;  ///< a file to write them to before, by whoever answers
  std::size_t batch = 1000;            ///< jobs removed in one transaction, at most; > 0
};

}  // namespace fq::request
