// The resource pool as the store keeps it: the inventory, and the chunks of what is allocated.

#pragma once

#include <memory>

#include "sched/pool.h"
#include "store/transaction.h"

namespace fq::manager {

/// The pool with everything marked that running jobs hold, and the nodes that are drained.
[[nodiscard]] std::unique_ptr<sched::Pool> load_pool(const store::Reader& reader);
/// Writes the chunks that changed since the pool was loaded or stored.
void store_pool(store::Transaction& transaction, sched::Pool& pool);

}  // namespace fq::manager
