// Following one job: what a command that shows it as it goes on looks at each time it may have changed. All
// of one reply is from one committed state.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "job/job.h"
#include "request/byte_stream.h"
#include "request/why.h"

namespace fq::request {

/// A log of the job's guest.
struct FollowedLog {
  std::string name;     ///< without `guest.`: `output`
  double open_run = 0;  ///< t_run of the run whose file the asker has open and reads itself; 0: none
};

struct FollowReply {
  job::Job job;
  std::optional<std::string> eventlog;
  /// As many as were asked for, in that order: nothing while the job is active, where the asker has its last
  /// run's file open, and where there is no such log.
  std::vector<std::optional<ByteStream>> logs;
  std::optional<std::string> jobspec;  ///< with updates, without the environment
  std::vector<Reason> reasons;
};

/// Jobs whose shell was killed are repaired before. Refused with Error{not_found} `job ƒ… does not exist`, or
/// `job ƒ… was purged`.
struct FollowRequest {
  using Reply = FollowReply;
  enum class Eventlog : std::uint8_t { none, with_exception, always };

  notation::JobId id;
  Eventlog eventlog = Eventlog::none;  ///< with_exception: when the job has had one
  std::vector<FollowedLog> logs;       ///< wanted once the job has ended
  bool jobspec = false;                ///< wanted while it has not
  std::size_t count_reasons = 0;       ///< why it has not started, its place counted so far; 0: not wanted
};

}  // namespace fq::request
