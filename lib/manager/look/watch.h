// Watching many jobs until they have ended: what has changed among them since the last look.
//
// A look costs what has changed: jobs that came to run or have ended are found by the indexes of states,
// whatever number is watched. All of one reply is from one committed state.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/job.h"
#include "manager/engine/session.h"

namespace fq::manager {

struct WatchedJob {
  notation::JobId id;
  bool is_over = false;   ///< no news of it are wanted any more
  bool eventlog = false;  ///< its event log is wanted with them
  bool exec = false;      ///< `guest.exec.eventlog` is, once it has ended
  bool output = false;    ///< `guest.output` is, once it has ended
};

struct WatchRequest {
  std::vector<WatchedJob> jobs;  ///< REQUIRES ascending ids
  /// The latest end that the last reply told of (`t_inactive`): jobs that ended before it are no news;
  /// nothing in the first request.
  std::optional<double> ended_since;
  /// All jobs are looked at, also those that neither run nor have ended since.
  bool all = false;
};

/// A guest document of a job that has ended.
struct StoredLog {
  std::optional<std::string> value;
  bool is_file = false;  ///< it is a file under data/, which open_guest opens; else nothing without a value
};

struct WatchNews {
  std::size_t index;            ///< of the job in the request
  std::optional<job::Job> job;  ///< nothing: it is gone
  std::optional<std::string> eventlog;
  StoredLog exec, output;
};

struct WatchReply {
  std::optional<double> t_submit;  ///< of the first job, in the first reply; nothing: it is gone
  std::vector<WatchNews> news;
};

/// Jobs whose shell was killed are repaired before. REQUIRES a job in the request.
[[nodiscard]] WatchReply watch_jobs(const Session& session, const WatchRequest& request);

}  // namespace fq::manager
