// Where the tasks of a running job are, and the instance inside it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "notation/fluid.h"

namespace fq::request {

struct RunningTask {
  std::uint32_t rank = 0;
  std::int64_t pid = 0;
};

struct TasksReply {
  std::vector<RunningTask> tasks;  ///< of the attempt that runs, in the order of their start
};

/// The processes that were started as tasks of a job. Refused with Error{not_found}, Error{permission}, and
/// Error{refused} `job ƒ… is not running`.
struct TasksRequest {
  using Reply = TasksReply;
  notation::JobId id;
};

struct InstancesReply {
  /// As many as jobs were asked of: the store of the instance inside the job, nothing where it has none, or
  /// has not used it, or is another user's.
  std::vector<std::optional<std::string>> stores;
};

struct InstancesRequest {
  using Reply = InstancesReply;
  std::vector<notation::JobId> ids;
};

}  // namespace fq::request
