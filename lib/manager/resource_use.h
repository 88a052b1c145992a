// What resources there are, what is taken, and what is out of use.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "document/resource_set.h"
#include "notation/idset.h"
#include "records/drains.h"
#include "store/reader.h"

namespace fq::manager {

struct ResourceUse {
  document::ResourceSet inventory;
  document::ResourceSet allocated;  ///< what running jobs hold
  records::Drains drains;
  document::ResourceSet excluded;  ///< nodes that are not in the inventory: the configuration says so
  notation::Idset leaving;         ///< ranks that are there for the jobs alone that still hold them
  /// The ranks of each queue that has nodes of its own, by name; empty where no queues are configured.
  std::vector<std::pair<std::string, notation::Idset>> queues;
};

[[nodiscard]] ResourceUse resource_use(const store::Reader& reader);

}  // namespace fq::manager
