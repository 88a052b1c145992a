#include "document/jobspec/task_plan.h"

#include <algorithm>
#include <deque>
#include <numeric>

#include "base/error.h"

namespace fq::document {

using notation::Idset;

namespace {

/// What a node has left while slots are dealt.
struct Capacity {
  std::size_t node;
  std::uint64_t cores;
  std::uint64_t gpus;
};

std::deque<Capacity> all_capacity(const std::vector<PlannedNode>& nodes) {
  std::deque<Capacity> order;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    order.push_back({i, nodes[i].cores.count(), nodes[i].gpus.count()});
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.cores > b.cores; });
  return order;
}

/// Deals tasks to the nodes in turn, those with most cores first. A node without room for another is left
/// out; when all are, they are dealt again and share their cores.
void deal(std::vector<PlannedNode>& nodes, std::uint32_t ntasks, std::uint32_t cores, std::uint32_t gpus) {
  std::deque<Capacity> order = all_capacity(nodes);
  const auto has_room = [&](const Capacity& c) { return c.cores >= cores && c.gpus >= gpus; };
  if (std::none_of(order.begin(), order.end(), has_room)) cores = gpus = 0;
  for (std::uint32_t dealt = 0; dealt < ntasks;) {
    if (order.empty()) order = all_capacity(nodes);
    Capacity next = order.front();
    order.pop_front();
    if (!has_room(next)) continue;
    next.cores -= cores;
    next.gpus -= gpus;
    ++nodes[next.node].ntasks;
    ++dealt;
    order.push_back(next);
  }
}

/// The ranks on nodes of which each has so many tasks.
document::Taskmap map_tasks(const TaskmapOption& option, const std::vector<std::uint32_t>& per_node) {
  using document::Taskmap;
  switch (option.scheme) {
    case TaskmapOption::Scheme::block:
      break;
    case TaskmapOption::Scheme::cyclic:
      return Taskmap::cyclic(per_node, option.stride);
    case TaskmapOption::Scheme::manual: {
      const std::uint64_t total = std::accumulate(per_node.begin(), per_node.end(), std::uint64_t{0});
      if (option.map.ntasks() != total || option.map.nnodes() > per_node.size()) {
        throw error(Kind::invalid, "taskmap: it has {} tasks on {} nodes, the job {} on {}",
                    option.map.ntasks(), option.map.nnodes(), total, per_node.size());
      }
      return option.map;
    }
  }
  return Taskmap::block(per_node);
}

}  // namespace

std::vector<Idset> share(const Idset& ids, std::uint32_t parts) {
  std::vector<Idset> shares(parts);
  const std::uint64_t total = ids.count();
  if (total == 0) return shares;
  std::vector<std::uint32_t> flat;
  ids.for_each([&](std::uint32_t id) { flat.push_back(id); });
  for (std::uint32_t part = 0; part < parts; ++part) {
    // Part p of n begins where p·total/n ids have been dealt; with more parts than ids each has one.
    std::uint64_t first = part * total / parts;
    const std::uint64_t last = std::max(first + 1, (part + 1) * total / parts);
    for (; first < last; ++first) shares[part].insert(flat[first]);
  }
  return shares;
}

TaskPlan make_task_plan(const document::Jobspec& jobspec, const document::ResourceSet& R,
                        const TaskmapOption& taskmap) {
  if (R.empty()) throw Error{Kind::invalid, "R: it has no node to run on"};
  TaskPlan plan;
  for (const auto& node : R.nodes()) plan.nodes.push_back({node.rank, node.host, node.cores, node.gpus, 0});
  const document::ResourceCounts& counts = jobspec.counts();
  if (jobspec.batch()) {
    plan.nodes.front().ntasks = 1;
  } else if (jobspec.tasks_per_node() > 0 || jobspec.tasks_per_core() > 0) {
    for (PlannedNode& node : plan.nodes) {
      const std::uint64_t ntasks = jobspec.tasks_per_node() > 0
                                       ? jobspec.tasks_per_node()
                                       : node.cores.count() * jobspec.tasks_per_core();
      node.ntasks = static_cast<std::uint32_t>(std::min<std::uint64_t>(ntasks, kMaxTasks + 1));
    }
  } else if (jobspec.ntasks() <= kMaxTasks) {
    deal(plan.nodes, jobspec.ntasks(), counts.cores_per_slot, counts.gpus_per_slot);
  } else {
    plan.nodes.front().ntasks = jobspec.ntasks();
  }
  std::uint64_t total = 0;
  std::vector<std::uint32_t> per_node;
  for (const PlannedNode& node : plan.nodes) {
    per_node.push_back(node.ntasks);
    total += node.ntasks;
    if (total > kMaxTasks) {
      throw error(Kind::invalid, "the job has more than {} tasks, the most that one shell starts", kMaxTasks);
    }
  }
  plan.taskmap = map_tasks(taskmap, per_node);
  plan.tasks.resize(total);
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    PlannedNode& node = plan.nodes[i];
    const Idset ranks =
        i < plan.taskmap.nnodes() ? plan.taskmap.tasks_on(static_cast<std::uint32_t>(i)) : Idset{};
    node.ntasks = static_cast<std::uint32_t>(ranks.count());
    std::vector<Idset> cores = share(node.cores, node.ntasks);
    std::vector<Idset> gpus = share(node.gpus, node.ntasks);
    std::uint32_t local = 0;
    ranks.for_each([&](std::uint32_t rank) {
      plan.tasks[rank] = {rank, local, static_cast<std::uint32_t>(i), std::move(cores[local]),
                          std::move(gpus[local])};
      ++local;
    });
  }
  return plan;
}

}  // namespace fq::document
