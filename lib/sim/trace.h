// Workloads: what came, when, and how long it ran.
//
// In the Standard Workload Format: a line a job, 18 numbers, and comments that begin with `;`, of which
// `MaxNodes` and `MaxProcs` say how large the machine was.
//   1 job  2 submitted  4 ran  5 processors it had  8 processors it asked for  9 time it asked for
//   12 user  15 queue  17 job that it waited for     times in seconds since the trace begins; -1: not known;
//   others are passed over
// As CSV (RFC 4180): the first line names the columns, in any order. These must be there
//   job      number              submit   seconds since the trace begins
//   runtime  seconds
// and these may
//   limit    seconds, 0: none    slots    how many, 1          cores, gpus  a slot, 1 and 0
//   nodes    how many, 0: any    exclusive  1: whole nodes     queue, user, bank, project, qos   names
//   urgency  0..31, 16           requires   as --requires has it
//   groups   that the user is in, in all rows together; names, several with blanks between them
//   dependency  `afterok:12`, several with blanks between them: of jobs of the file that came before

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/jobspec/dependency.h"

namespace fq::sim {

struct TraceJob {
  std::uint64_t id = 0;
  double submit = 0;             ///< seconds
  double runtime = 0;            ///< seconds
  double limit = 0;              ///< seconds; 0: none
  std::uint32_t processors = 0;  ///< slots
  std::int64_t user = -1, queue = -1;
  std::uint32_t cores = 1, gpus = 0;  ///< of each slot
  std::uint32_t nodes = 0;            ///< to spread the slots on; 0: any
  bool exclusive = false;             ///< with `nodes`: whole ones
  std::uint8_t urgency = 16;
  std::string queue_name;  ///< goes before the number
  std::string bank, project, qos;
  std::string constraint;                                                 ///< RFC 31 text; empty: none
  std::vector<std::pair<document::DependencyKind, std::uint64_t>> after;  ///< jobs that came before
};

struct Trace {
  std::vector<TraceJob> jobs;                               ///< by time of submission
  std::vector<std::pair<std::int64_t, std::string>> names;  ///< of users, where they have one
  std::map<std::int64_t, std::set<std::string>> groups;     ///< by user, where they are in any
  std::uint64_t max_nodes = 0, max_processors = 0;          ///< 0: not said
  std::map<std::string, std::uint64_t> left_out;  ///< how many jobs, by why: `no run time or no processors`
  /// Lines that are no job: `line 12: expected 18 numbers, got 3`.
  std::vector<std::string> damaged;
};

/// Reads a trace. What is damaged is left out.
[[nodiscard]] Trace read_trace(std::string_view text);
/// The same of CSV; throws Error{invalid} where its first line does not name the columns.
[[nodiscard]] Trace read_job_table(std::string_view text);

}  // namespace fq::sim
