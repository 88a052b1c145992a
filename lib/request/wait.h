// Waiting for jobs and queues, and taking the results of jobs that were submitted as waitable.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "job/job.h"
#include "request/refusal.h"

namespace fq::request {

inline constexpr double kNoTimeout = std::numeric_limits<double>::infinity();

struct JobReply {
  job::Job job;
};

/// Waits until the job is inactive. Refused with Error{not_found}, Error{timeout}.
struct WaitForJobRequest {
  using Reply = JobReply;
  notation::JobId id;
  double timeout_s = kNoTimeout;
};

/// Waits until all of them are inactive or gone.
struct WaitForJobsRequest {
  using Reply = Nothing;
  std::vector<notation::JobId> ids;
};

struct WaitableReply {
  /// Each is given once, in the order of their end. No jobs: the caller has no such job, active or ended;
  /// nothing: the time was over first.
  std::optional<std::vector<job::Job>> jobs;
};

/// Waits until one of the caller's waitable jobs has ended whose result nobody has taken, and takes the
/// results of all such, at most `most`.
struct WaitForWaitableRequest {
  using Reply = WaitableReply;
  std::size_t most = 1;
  double timeout_s = kNoTimeout;
  std::vector<notation::JobId> but;  ///< those inside which the caller runs: active, they are not waited for
};

/// Takes the result of one of the caller's waitable jobs, so that none waits for it. Nothing happens where
/// there is none to take.
struct TakeResultRequest {
  using Reply = Nothing;
  notation::JobId id;
};

/// What a queue must come to: without active jobs, or without any that run.
enum class QueueRest : std::uint8_t { empty, idle };

struct RestReply {
  bool rests = false;  ///< false: the time was over first
};

/// Waits until the queue, its virtual queues included, or every queue, has come to rest. Refused with
/// Error{not_found}, Error{refused} for a virtual queue.
struct WaitForRestRequest {
  using Reply = RestReply;
  std::optional<std::string> queue;
  QueueRest rest = QueueRest::empty;
  double timeout_s = kNoTimeout;
};

}  // namespace fq::request
