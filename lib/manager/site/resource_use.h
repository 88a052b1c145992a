// What resources there are, what is taken, and what is out of use.

#pragma once

#include <string>
#include <vector>

#include "document/resource_set.h"
#include "manager/engine/session.h"
#include "notation/idset.h"
#include "records/drains.h"
#include "store/reader.h"

namespace fq::manager {

/// The nodes of a queue, those included that are kept out of use.
struct QueueNodes {
  std::string name;
  notation::Idset ranks;
  bool is_virtual = false;  ///< they are its parent's
};

struct ResourceUse {
  document::ResourceSet inventory;
  document::ResourceSet allocated;  ///< what running jobs hold
  records::Drains drains;
  document::ResourceSet excluded;  ///< nodes that are not in the inventory: the configuration says so
  notation::Idset leaving;         ///< ranks that are there for the jobs alone that still hold them
  std::vector<QueueNodes> queues;  ///< by name; empty where none are configured
};

[[nodiscard]] ResourceUse resource_use(const store::Reader& reader);
[[nodiscard]] ResourceUse resource_use(const Session& session);

}  // namespace fq::manager
