#include "manager/site/queue_overview.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "document/resource/constraint.h"
#include "document/resource/resource_set.h"
#include "priority/account_limits.h"
#include "records/instance.h"

namespace fq::manager {

using document::SizeLimits;
using Totals = sched::Pool::Totals;

namespace {

QueueOverview::Range range(std::uint64_t there, std::int64_t most, std::int64_t least) {
  QueueOverview::Range range{0, there};
  if (most != SizeLimits::kNone) range.most = std::min(there, static_cast<std::uint64_t>(most));
  if (least != SizeLimits::kNone) range.least = static_cast<std::uint64_t>(least);
  return range;
}

// What a job may have at most where its user may have so much in all.
SizeLimits with_limits(SizeLimits max, const priority::AccountLimits& of_user) {
  const auto lower = [](auto& size, std::int64_t most) {
    if (most == priority::AccountLimits::kNone) return;
    if (size == SizeLimits::kNone || size > most) size = most;
  };
  lower(max.nnodes, of_user.nodes);
  lower(max.ncores, of_user.cores);
  lower(max.ngpus, of_user.gpus);
  return max;
}

// What the nodes of a queue have, together and each, the largest first.
struct Sizes {
  Totals totals;
  std::vector<std::uint64_t> cores, gpus;
};

Sizes sizes(const document::ResourceSet& inventory, const std::string& constraint) {
  const auto ranks = constraint.empty() ? inventory.ranks()
                                        : document::Constraint::from_json_text(constraint).match(inventory);
  Sizes sizes;
  sizes.totals.nodes = ranks.count();
  ranks.for_each([&](std::uint32_t rank) {
    const document::ResourceSet::Node* node = inventory.find(rank);
    sizes.cores.push_back(node->cores.count());
    sizes.gpus.push_back(node->gpus.count());
  });
  for (auto* each : {&sizes.cores, &sizes.gpus}) std::sort(each->rbegin(), each->rend());
  sizes.totals.cores = std::accumulate(sizes.cores.begin(), sizes.cores.end(), std::uint64_t{0});
  sizes.totals.gpus = std::accumulate(sizes.gpus.begin(), sizes.gpus.end(), std::uint64_t{0});
  return sizes;
}

// What so many nodes can have at most.
std::uint64_t of_nodes(const std::vector<std::uint64_t>& sizes, std::uint64_t nodes) {
  const auto end = sizes.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(nodes, sizes.size()));
  return std::accumulate(sizes.begin(), end, std::uint64_t{0});
}

}  // namespace

namespace {

std::vector<QueueOverview> read_overview(const store::Reader& reader,
                                         const std::optional<std::set<std::string>>& wanted) {
  records::Queues queues(reader);
  const auto inventory = document::ResourceSet::parse(records::read_inventory(reader));
  std::map<std::string, Sizes> known;  // queues often use the same nodes
  std::vector<std::string> names = queues.names();
  if (wanted) names.assign(wanted->begin(), wanted->end());
  std::vector<QueueOverview> list;
  for (const std::string& name : names) {
    const document::QueueConfig& config = queues.require(name);
    QueueOverview queue;
    queue.status = status_of(queues, name);
    queue.is_default = queues.named() && name == queues.default_queue();
    queue.policy = config.policy;
    const auto [at, is_new] = known.try_emplace(config.constraint);
    if (is_new) at->second = sizes(inventory, config.constraint);
    const Totals& totals = at->second.totals;
    queue.resources = {totals.nodes, totals.cores, totals.gpus};
    const SizeLimits max =
        with_limits(config.policy.max, priority::decode_limits(config.policy.per_association));
    const SizeLimits& min = config.policy.min;
    // Each node that a job has gives it a core at least, and what it has is on so many nodes at most.
    queue.ncores = range(of_nodes(at->second.cores, range(queue.resources.nodes, max.nnodes, 0).most),
                         max.ncores, min.ncores);
    queue.nnodes = range(std::min(queue.resources.nodes, queue.ncores.most), max.nnodes, min.nnodes);
    queue.ngpus = range(of_nodes(at->second.gpus, queue.nnodes.most), max.ngpus, min.ngpus);
    list.push_back(std::move(queue));
  }
  return list;
}

}  // namespace

std::vector<QueueOverview> queue_overview(const Session& session,
                                          const std::optional<std::set<std::string>>& wanted) {
  std::vector<QueueOverview> queues;
  query(session, [&](const store::Reader& reader) { queues = read_overview(reader, wanted); });
  return queues;
}

}  // namespace fq::manager
