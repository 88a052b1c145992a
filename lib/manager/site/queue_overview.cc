#include "manager/site/queue_overview.h"

#include <algorithm>
#include <map>

#include "document/constraint.h"
#include "document/resource_set.h"
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

Totals totals(const document::ResourceSet& inventory, const std::string& constraint) {
  if (constraint.empty()) return {inventory.nnodes(), inventory.ncores(), inventory.ngpus()};
  const auto ranks = document::Constraint::from_json_text(constraint).match(inventory);
  Totals totals{ranks.count(), 0, 0};
  ranks.for_each([&](std::uint32_t rank) {
    const document::ResourceSet::Node* node = inventory.find(rank);
    totals.cores += node->cores.count();
    totals.gpus += node->gpus.count();
  });
  return totals;
}

}  // namespace

namespace {

std::vector<QueueOverview> read_overview(const store::Reader& reader,
                                         const std::optional<std::set<std::string>>& wanted) {
  records::Queues queues(reader);
  const auto inventory = document::ResourceSet::parse(records::read_inventory(reader));
  std::map<std::string, Totals> known;  // queues often use the same nodes
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
    if (is_new) at->second = totals(inventory, config.constraint);
    queue.resources = at->second;
    const SizeLimits &max = config.policy.max, &min = config.policy.min;
    queue.nnodes = range(queue.resources.nodes, max.nnodes, min.nnodes);
    queue.ncores = range(queue.resources.cores, max.ncores, min.ncores);
    queue.ngpus = range(queue.resources.gpus, max.ngpus, min.ngpus);
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
