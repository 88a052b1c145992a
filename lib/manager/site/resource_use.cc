#include "manager/site/resource_use.h"

#include "document/resource/constraint.h"
#include "manager/core/hidden_jobs.h"
#include "manager/core/inventory.h"
#include "manager/pass/stored_pool.h"
#include "records/queues.h"

namespace fq::manager {

ResourceUse resource_use(const store::Reader& reader) {
  const auto pool = load_pool(reader);
  ResourceUse use{pool->inventory(),
                  pool->allocated(),
                  records::read_drains(reader),
                  read_excluded(reader),
                  leaving_ranks(reader, pool->inventory()),
                  {}};
  records::Queues queues(reader);
  if (!queues.named()) return use;
  const document::ResourceSet all = use.inventory.unite(use.excluded);
  for (const std::string& name : queues.names()) {
    const document::QueueConfig& queue = *queues.find(name);
    use.queues.push_back({name,
                          queue.constraint.empty()
                              ? all.ranks()
                              : document::Constraint::from_json_text(queue.constraint).match(all),
                          !queue.parent.empty()});
  }
  return use;
}

ResourceUse resource_use(const Session& session) {
  ResourceUse use;
  query_repaired(session, [&](const store::Reader& reader) {
    use = resource_use(reader);
    Rights rights(reader, session.caller);
    for (auto& [rank, drain] : use.drains)
      drain.reason = without_hidden_jobs(rights, std::move(drain.reason));
  });
  return use;
}

}  // namespace fq::manager
