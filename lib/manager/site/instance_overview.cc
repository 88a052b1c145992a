#include "manager/site/instance_overview.h"

#include <algorithm>

#include "base/error.h"
#include "manager/site/queue_admin.h"
#include "manager/site/resource_use.h"
#include "meeting/enclosure.h"
#include "records/instance.h"
#include "records/store_time.h"

namespace fq::manager {
namespace {

// Instances in instances beyond this are not counted.
constexpr std::uint32_t kDeepest = 32;

std::uint32_t depth_of(const std::string& store) {
  std::uint32_t depth = 0;
  for (auto enclosure = meeting::read_enclosure(store); enclosure && depth < kDeepest;
       enclosure = meeting::read_enclosure(enclosure->store)) {
    ++depth;
  }
  return depth;
}

void add_resources(const ResourceUse& use, const std::optional<std::string>& queue,
                   InstanceOverview& overview) {
  notation::Idset ranks = use.inventory.ranks();
  for (const QueueNodes& each : use.queues) {
    if (each.name == queue) ranks = ranks.intersect(each.ranks);
  }
  const document::ResourceSet nodes = use.inventory.subset(ranks);
  const document::ResourceSet allocated = use.allocated.subset(use.allocated.ranks().intersect(ranks));
  overview.nodes = ranks.count();
  overview.cores = nodes.ncores();
  overview.gpus = nodes.ngpus();
  overview.allocated_nodes = allocated.ranks().count();
  overview.allocated_cores = allocated.ncores();
  overview.allocated_gpus = allocated.ngpus();
  for (const auto& [rank, drain] : use.drains) overview.drained_nodes += ranks.contains(rank) ? 1 : 0;
}

}  // namespace

InstanceOverview instance_overview(const Session& session, const std::optional<std::string>& queue) {
  InstanceOverview overview;
  query_repaired(session, [&](const store::Reader& reader) {
    overview = {};
    const records::StoreInfo info = records::read_store_info(reader);
    overview.now = records::store_time(reader, *session.clock).now;
    overview.since = std::min(static_cast<double>(info.epoch_ms) * 1e-3, overview.now);
    overview.owner = info.owner;
    add_resources(resource_use(reader), queue, overview);
    const std::vector<QueueStatus> states = queue_status(reader, queue);
    overview.takes_jobs =
        std::any_of(states.begin(), states.end(), [](const QueueStatus& each) { return each.state.enabled; });
    overview.starts_jobs = std::any_of(states.begin(), states.end(), [](const QueueStatus& each) {
      return each.state.started && !each.blocked && each.state.suspended.empty();
    });
    auto counts = records::read_counts(reader, {std::nullopt, queue});
    overview.pending = counts["D"] + counts["P"] + counts["S"];
    overview.running = counts["R"] + counts["C"];
    overview.completed = counts["CD"];
    overview.failed = counts["F"] + counts["CA"] + counts["TO"];
  });
  overview.depth = depth_of(session.store);
  return overview;
}

}  // namespace fq::manager
