// What is run on nodes after jobs: what there is of it, and signals to it.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "notation/fluid.h"
#include "notation/idset.h"

namespace fq::request {

struct RunningHousekeeping {
  notation::JobId job;  ///< that had the nodes; it may be purged by now
  std::uint32_t userid = 0;
  double t_start = 0;  ///< seconds since the epoch
  notation::Idset ranks;
  std::string nodelist;
  std::string command;
  std::uint32_t attempt = 1;  ///< how often it was begun
};

struct HousekeepingReply {
  std::vector<RunningHousekeeping> running;  ///< by the time of their start
};

struct HousekeepingRequest {
  using Reply = HousekeepingReply;
};

struct KillHousekeepingReply {
  std::vector<notation::JobId> signaled;  ///< the jobs that had the nodes
};

/// Sends a signal to what is run. Refused with Error{permission} unless the caller is the owner,
/// Error{not_found} for a job after which nothing is run, and for nodes that there are not.
struct KillHousekeepingRequest {
  using Reply = KillHousekeepingReply;
  std::vector<notation::JobId> jobs;  ///< after these jobs, or
  std::string targets;                ///< on these nodes (ranks or hosts; empty: none), or
  bool all = false;
  int signal = 0;
};

}  // namespace fq::request
