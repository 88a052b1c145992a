#include "sched/grant_check.h"

#include <algorithm>
#include <limits>

#include <fmt/core.h>

#include "sched/capacity.h"

namespace fq::sched {

using document::ResourceCounts;
using document::ResourceSet;

namespace {

using Complaint = std::optional<std::string>;

// Whether all of it is there and may be used.
Complaint not_there(const Pool& pool, const ResourceSet::Node& node) {
  const ResourceSet::Node* known = pool.inventory().find(node.rank);
  if (known == nullptr) return fmt::format("R: rank {} is not in the inventory", node.rank);
  if (known->host != node.host)
    return fmt::format("R: rank {} is {}, not {}", node.rank, known->host, node.host);
  if (!known->cores.includes(node.cores))
    return fmt::format("R: rank {} has cores {}, not {}", node.rank, known->cores.encode(),
                       node.cores.encode());
  if (!known->gpus.includes(node.gpus))
    return fmt::format("R: rank {} has gpus {}, not {}", node.rank, known->gpus.encode(), node.gpus.encode());
  if (!pool.usable(*pool.find(node.rank))) return fmt::format("R: rank {} is down or drained", node.rank);
  return std::nullopt;
}

bool may_use(const std::vector<NodeRange>& nodes, std::size_t index) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const NodeRange& each) { return each.begin <= index && index < each.end; });
}

// A request with a node level asks for so many nodes, each with so much.
Complaint wrong_nodes(const ResourceSet& r, const ResourceCounts& want) {
  if (r.nnodes() != want.nnodes)
    return fmt::format("R: {} nodes, and the job asks for {}", r.nnodes(), want.nnodes);
  const std::uint64_t cores = cores_per_node(want), gpus = gpus_per_node(want);
  for (const ResourceSet::Node& node : r.nodes()) {
    const bool enough = node.cores.count() >= cores && node.gpus.count() >= gpus;
    const bool exact = node.cores.count() == cores && node.gpus.count() == gpus;
    if (want.exclusive ? !enough : !exact)
      return fmt::format("R: rank {} gives {} cores and {} gpus, and the job asks for {} and {} a node",
                         node.rank, node.cores.count(), node.gpus.count(), cores, gpus);
  }
  return std::nullopt;
}

// One without asks for slots, wherever they are.
Complaint wrong_slots(const ResourceSet& r, const ResourceCounts& want) {
  std::uint64_t slots = 0, fewest = std::numeric_limits<std::uint64_t>::max();
  for (const ResourceSet::Node& node : r.nodes()) {
    const auto cores = static_cast<std::uint32_t>(node.cores.count());
    const auto gpus = static_cast<std::uint32_t>(node.gpus.count());
    const std::uint64_t here = slots_in(cores, gpus, want);
    if (!want.exclusive &&
        (here * want.cores_per_slot != cores || here * want.gpus_per_slot != gpus || here == 0))
      return fmt::format("R: rank {} gives {} cores and {} gpus, no whole number of slots of {} and {}",
                         node.rank, cores, gpus, want.cores_per_slot, want.gpus_per_slot);
    slots += here;
    fewest = std::min(fewest, here);
  }
  const bool right =
      want.exclusive ? slots >= want.nslots && slots - fewest < want.nslots : slots == want.nslots;
  if (!right) return fmt::format("R: {} slots, and the job asks for {}", slots, want.nslots);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> grant_fault(const Pool& pool, Matcher& matcher, const AllocRequest& request,
                                       const ResourceSet& r) {
  if (r.empty()) return "R: it is empty";
  const std::vector<NodeRange>& nodes = matcher.nodes(request);
  for (const ResourceSet::Node& node : r.nodes()) {
    if (auto fault = not_there(pool, node)) return fault;
    const std::size_t index = *pool.find(node.rank);
    if (!may_use(nodes, index))
      return fmt::format("R: rank {} does not meet the constraint of the job", node.rank);
    if (request.counts.exclusive &&
        (node.cores.count() != pool.cores(index) || node.gpus.count() != pool.gpus(index)))
      return fmt::format("R: rank {} is not given whole, and the job asks for whole nodes", node.rank);
  }
  if (!pool.is_free(r)) return fmt::format("R: {} is taken, in part at least", r.summary());
  return request.counts.nnodes > 0 ? wrong_nodes(r, request.counts) : wrong_slots(r, request.counts);
}

ResourceSet as_granted(const ResourceSet& r, const ResourceSet& inventory, const AllocRequest& request,
                       double now) {
  ResourceSet granted;
  for (const ResourceSet::Node& node : r.nodes()) granted.add(node);
  complete_allocation(granted, inventory, request, now);
  if (!r.scheduling.empty()) granted.scheduling = r.scheduling;
  return granted;
}

}  // namespace fq::sched
