// A machine in pretended time: the jobs of a trace come, wait and run on it, started by the passes that the
// job manager runs, with the schedulers that a configuration gives its queues.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "document/config.h"
#include "document/resource_set.h"
#include "sim/trace.h"

namespace fq::sim {

/// What became of a job.
struct JobRun {
  std::uint64_t id = 0;
  std::string queue;
  std::int64_t user = -1;
  double submit = 0, start = 0, end = 0;  ///< seconds since the trace begins
  std::uint64_t ncores = 0;
  document::ResourceSet R;
};

/// One that could never run, and why.
struct DeniedJob {
  std::uint64_t id = 0;
  std::string note;
};

struct Outcome {
  std::vector<JobRun> runs;  ///< by start, then id
  std::vector<DeniedJob> denied;
  std::uint64_t passes = 0;
  double begin = 0, end = 0;  ///< of the first submission and of the last end
  std::uint64_t ncores = 0;   ///< of the machine
  double core_seconds = 0;    ///< that were allocated
};

/// Runs them all. A job goes to the queue whose place by name is its number in the trace, from 1 up, or else
/// to the default one. What a job lacks its queue gives. Throws Error{unavailable} where a scheduler fails.
[[nodiscard]] Outcome simulate(const Trace& trace, const document::Config& config);

}  // namespace fq::sim
