// Workloads in the Standard Workload Format: a line a job, 18 numbers, and comments that begin with `;`, of
// which `MaxNodes` and `MaxProcs` say how large the machine was.
//   1 job  2 submitted  4 ran  5 processors it had  8 processors it asked for  9 time it asked for
//   12 user  15 queue         times in seconds since the trace begins; -1: not known; others are passed over

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fq::sim {

struct TraceJob {
  std::uint64_t id = 0;
  double submit = 0;   ///< seconds
  double runtime = 0;  ///< seconds
  double limit = 0;    ///< seconds; 0: none
  std::uint32_t processors = 0;
  std::int64_t user = -1, queue = -1;
};

struct Trace {
  std::vector<TraceJob> jobs;                       ///< by time of submission
  std::uint64_t max_nodes = 0, max_processors = 0;  ///< 0: not said
  std::uint64_t incomplete = 0;                     ///< jobs that never ran, or of which too little is known
  /// Lines that are no job: `line 12: expected 18 numbers, got 3`.
  std::vector<std::string> damaged;
};

/// Reads a trace. What is damaged is left out.
[[nodiscard]] Trace read_trace(std::string_view text);

}  // namespace fq::sim
