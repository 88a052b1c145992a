// A listing of jobs: what is asked, and all of it from one state of the store.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "request/find_job.h"
#include "request/job_filter.h"
#include "request/rows.h"

namespace fq::request {

/// Jobs that ended are counted so far back, and no further than to so many.
inline constexpr double kEndedWindow_s = 3600;
inline constexpr std::size_t kMostEnded = 100;

/// What stands before the rows of a listing.
struct JobListHead {
  double now = 0;                               ///< the store's time, seconds since the epoch
  double ahead_of_boot = 0;                     ///< what to add to a later boot time to have it then
  std::vector<std::string> missing;             ///< of the ids that are no jobs: why, as a message
  std::map<std::string, std::uint64_t> counts;  ///< by status (`R`, `CD`) of the filter's user and queues
  std::uint64_t purged = 0;
  /// Left out: queues that are not listed with their active jobs, and how many jobs ended lately.
  std::vector<std::pair<std::string, std::uint64_t>> elsewhere;
  std::size_t ended = 0;
};

using JobListRows = Rows<JobListHead, ListedJob>;

/// Which hosts of a filter must be nodes: a listing of others is refused.
enum class KnownHosts : std::uint8_t { any, one, all };

/// Lists jobs. Refused with Error{not_found} for a queue that does not exist and has no jobs, and for hosts.
struct JobListRequest {
  using Reply = Nothing;
  using Stream = JobListRows;
  JobFilter filter;                  ///< which jobs, where no ids are given
  std::vector<notation::JobId> ids;  ///< these, in this order
  /// Replaces the filter's: as `document/jobspec/begin_time` reads it, by the store's time.
  std::optional<std::string> since;
  KnownHosts known_hosts = KnownHosts::any;
  bool counts = false;     ///< the reply has jobs by status
  bool left_out = false;   ///< the reply says what the filter leaves out
  bool instances = false;  ///< rows of running jobs say which instance is inside
};

}  // namespace fq::request
