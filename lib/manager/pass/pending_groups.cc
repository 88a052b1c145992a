#include "manager/pass/pending_groups.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "manager/pass/period_timer.h"

namespace fq::manager {

// Classes go where they belong as they are read: there may be many.
Pending pending_jobs(Change& change) {
  records::Queues& queues = change.queues();
  Pending pending;
  const priority::Parameters* last = nullptr;
  records::visit_classes(change.transaction(), [&](records::JobClass&& c) {
    if (!records::is_eligible(queues, c)) return;
    const priority::Parameters* of_queue = &change.priorities().facts().parameters(c.queue);
    if (of_queue != last)
      pending.next_boundary = std::min(pending.next_boundary, next_boundary(*of_queue, change.now()));
    last = of_queue;
    pending.groups[queues.scheduling(c.queue)->group].push_back(std::move(c));
  });
  return pending;
}

bool is_shared(records::Queues& queues, std::uint32_t group) {
  std::set<std::string> serving;
  for (const std::string& name : queues.names()) {
    if (queues.scheduling(name)->group == group) serving.insert(queues.served_by(name));
  }
  return serving.size() > 1;
}

// RFC 20; at its very end they would have no time.
bool inventory_holds(Change& change) {
  const document::ResourceSet& inventory = change.pool().inventory();
  return inventory.valid_at(change.now()) && change.now() != inventory.expiration;
}

}  // namespace fq::manager
