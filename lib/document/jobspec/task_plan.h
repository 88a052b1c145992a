// Which task runs where: from jobspec (RFC 25) and R (RFC 20) to a list of tasks with node, rank and the
// share of cores and GPUs that each slot has. Tasks are numbered in block order over the nodes, as in Flux,
// unless the shell option `taskmap` says otherwise (RFC 34).

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "document/jobspec/jobspec.h"
#include "document/jobspec/shell_options.h"
#include "document/jobspec/taskmap.h"
#include "document/resource/resource_set.h"
#include "notation/idset.h"

namespace fq::document {

struct PlannedNode {
  std::uint32_t rank = 0;  ///< execution target in R
  std::string host;
  notation::Idset cores;
  notation::Idset gpus;
  std::uint32_t ntasks = 0;
};

struct PlannedTask {
  std::uint32_t rank = 0;
  std::uint32_t local_id = 0;  ///< within its node, from 0
  std::uint32_t node = 0;      ///< index in TaskPlan::nodes
  notation::Idset cores;       ///< this task's even share of its node's cores, never empty
  notation::Idset gpus;        ///< likewise; empty where the node has none
};

struct TaskPlan {
  std::vector<PlannedNode> nodes;
  std::vector<PlannedTask> tasks;  ///< by rank
  document::Taskmap taskmap;
};

/// The most tasks that one shell starts.
inline constexpr std::uint32_t kMaxTasks = 65536;

/// The plan. Tasks go to nodes one at a time in turn while a node has cores for another, then ranks are given
/// node by node; the shell option `per-resource` puts a fixed number on each node or core instead, `batch`
/// one on the first node. When there are more tasks than cores, they share. A `taskmap` other than block
/// gives the ranks otherwise, and a manual one says how many tasks each node gets. Throws Error{invalid} when
/// R has no node, the job more than kMaxTasks tasks, or the map other tasks or more nodes than the job.
[[nodiscard]] TaskPlan make_task_plan(const document::Jobspec& jobspec, const document::ResourceSet& R,
                                      const TaskmapOption& taskmap = {});

/// `total` ids dealt to `parts` in order, as evenly as whole ids allow; with more parts than ids the ids are
/// dealt again. Each part has at least one id unless `ids` is empty.
[[nodiscard]] std::vector<notation::Idset> share(const notation::Idset& ids, std::uint32_t parts);

}  // namespace fq::document
