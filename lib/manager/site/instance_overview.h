// An instance at a glance: how long it is there, whose, how large and how busy it is, and whether it works.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "manager/engine/session.h"

namespace fq::manager {

struct InstanceOverview {
  double now = 0;           ///< the store's time, seconds since the epoch
  double since = 0;         ///< when the store was made
  std::uint32_t owner = 0;  ///< the user it belongs to
  std::uint32_t depth = 0;  ///< in how many jobs it is, one in the other
  std::uint64_t nodes = 0, drained_nodes = 0;
  std::uint64_t cores = 0, allocated_cores = 0;
  std::uint64_t gpus = 0, allocated_gpus = 0;
  std::uint64_t allocated_nodes = 0;  ///< of which a job has something
  bool takes_jobs = true;             ///< a queue does
  bool starts_jobs = true;            ///< a queue does
  /// Jobs, of every user: those that wait, for whatever it be, that run or are ending, and by how they ended.
  std::uint64_t pending = 0, running = 0, completed = 0, failed = 0;
};

/// Of the whole, or of the jobs and nodes of one queue. Throws Error{not_found}.
[[nodiscard]] InstanceOverview instance_overview(const Session& session,
                                                 const std::optional<std::string>& queue = {});

}  // namespace fq::manager
