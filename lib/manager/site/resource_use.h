// What resources there are, what is taken, and what is out of use.

#pragma once

#include <string>
#include <vector>

#include "document/resource/resource_set.h"
#include "manager/engine/session.h"
#include "notation/idset.h"
#include "records/drains.h"
#include "request/nodes.h"
#include "store/reader.h"

namespace fq::manager {

using request::QueueNodes;
using request::ResourceUse;

[[nodiscard]] ResourceUse resource_use(const store::Reader& reader);
[[nodiscard]] ResourceUse resource_use(const Session& session);

}  // namespace fq::manager
