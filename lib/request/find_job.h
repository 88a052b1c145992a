// Jobs by their ids.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "job/job.h"
#include "request/refusal.h"

namespace fq::request {

/// A job with what the scheduler last said of it.
struct ListedJob {
  job::Job job;                               ///< its annotations those of now, pending or not
  std::optional<double> t_estimate;           ///< when it may start, seconds since the epoch
  std::optional<std::string> reason_pending;  ///< why it has not
  /// Where the scheduler has not said why: the head of its queue, which waits.
  std::optional<notation::JobId> behind = {};
  /// Where it was asked for: the store of the instance inside the job, as InstancesReply has it.
  std::optional<std::string> instance = {};
};

/// One job, as it is stored: one whose shell was killed and that nobody has looked after yet runs. Refused
/// with Error{not_found} `job ƒ… does not exist`, or `job ƒ… was purged`.
struct FindJobRequest {
  using Reply = ListedJob;
  notation::JobId id;
};

/// Refused as that for the first one that is no job.
struct RequireJobsRequest {
  using Reply = Nothing;
  std::vector<notation::JobId> ids;
};

struct TimeLeftReply {
  double seconds = 0;  ///< until the job must end, by the store's time: infinity without a limit, 0: it has
};

/// Refused as that, and with Error{refused} `job ƒ… has not started`.
struct TimeLeftRequest {
  using Reply = TimeLeftReply;
  notation::JobId id;
};

struct JobIds {
  std::vector<notation::JobId> ids;
};

/// The jobs of a user that were submitted last, the latest first.
struct LastJobsRequest {
  using Reply = JobIds;
  std::uint32_t userid = 0;
  std::size_t count = 0;
};

/// The jobs of this store inside which a process with these marks (meeting/enclosure) stands, the innermost
/// of the first mark first, as far as they are active.
struct EnclosingRequest {
  using Reply = JobIds;
  std::vector<std::string> marks;    ///< of the process, and of the jobs that its stores stand in
  std::optional<std::string> queue;  ///< only jobs of this queue and of its virtual queues; nothing: all
};

}  // namespace fq::request
