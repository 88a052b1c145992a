// Watching many jobs until they have ended: what has changed among them since the last look.
//
// A look costs what has changed: jobs that came to run or have ended are found by the indexes of states,
// whatever number is watched. All of one reply is from one committed state.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "job/job.h"

namespace fq::request {

struct WatchedJob {
  notation::JobId id;
  bool is_over = false;   ///< no news of it are wanted any more
  bool eventlog = false;  ///< its event log is wanted with them
  bool exec = false;      ///< `guest.exec.eventlog` is, once it has ended
  bool output = false;    ///< `guest.output` is, once it has ended
};

/// A guest document of a job that has ended.
struct StoredLog {
  std::optional<std::string> value;
  bool is_file = false;  ///< it is too large for the database, and asked for by itself (request/document.h)
};

struct WatchNews {
  std::size_t index = 0;        ///< of the job in the request
  std::optional<job::Job> job;  ///< nothing: it is gone
  std::optional<std::string> eventlog;
  StoredLog exec, output;
};

struct WatchReply {
  std::optional<double> t_submit;  ///< of the first job, in the first reply; nothing: it is gone
  std::vector<WatchNews> news;
};

/// Jobs whose shell was killed are repaired before. Refused with Error{invalid} without jobs, or where they
/// are in another order.
struct WatchRequest {
  using Reply = WatchReply;
  std::vector<WatchedJob> jobs;  ///< by ascending ids
  /// The latest end that the last reply told of (`t_inactive`): jobs that ended before it are no news;
  /// nothing in the first request.
  std::optional<double> ended_since;
  /// All jobs are looked at, also those that neither run nor have ended since.
  bool all = false;
};

}  // namespace fq::request
