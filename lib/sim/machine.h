// A machine in pretended time: the jobs of a trace come, wait, run and end through the very transactions that
// the commands of fq make, on a store in memory, with a clock that stands where the next thing happens and
// shells that only pretend. All that happens at one instant is one transaction, as in a busy store.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "document/config/config.h"
#include "document/resource/resource_set.h"
#include "request/accounts.h"
#include "sim/trace.h"

namespace fq::manager {
class Change;
}

namespace fq::sim {

/// A stay of a job on the machine.
struct JobRun {
  std::uint64_t id = 0;
  std::string queue;
  std::int64_t user = -1;
  double submit = 0, start = 0, end = 0;  ///< seconds since the trace begins
  std::uint64_t ncores = 0;
  document::ResourceSet R;  ///< where it is kept
  bool cut_off = false;     ///< its resources were taken back, and it ran again or was canceled
  bool timed_out = false;   ///< it ended at its time limit
};

/// One that did not run, and why.
struct DeniedJob {
  std::uint64_t id = 0;
  std::string note;
};

struct Outcome {
  std::vector<JobRun> runs;                   ///< by start, then id
  std::vector<DeniedJob> denied;              ///< at submission, or by its scheduler; in the order of time
  std::vector<DeniedJob> waiting;             ///< at the end, when nothing could start any more
  std::map<std::int64_t, std::string> names;  ///< of the users that have one
  std::uint64_t passes = 0;                   ///< transactions that ran the scheduling pass
  double begin = 0, end = 0;                  ///< of the first submission and of the last end
  std::uint64_t ncores = 0;                   ///< of the machine
  double core_seconds = 0;                    ///< that were allocated
};

struct SimulateOptions {
  request::AccountTables accounts;  ///< banks and users; empty: everybody is equal
  bool keep_resources = false;      ///< JobRun::R
  /// Jobs that are over, of all: called every now and then.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
  /// Changes the store before the first job comes; by the owner.
  std::function<void(manager::Change&)> prepare;
  /// Looks at the store after each transaction in which a job comes, starts or ends.
  std::function<void(manager::Change&)> look;
};

/// Runs them all. A job goes to the queue that it names or whose place by name is its number in the trace,
/// from 1 up, or else to the default one. What a job lacks its queue gives. Throws Error{unavailable} where a
/// scheduler fails.
[[nodiscard]] Outcome simulate(const Trace& trace, const document::Config& config,
                               const SimulateOptions& options = {});

}  // namespace fq::sim
