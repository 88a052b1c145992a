// Another inventory for a store that is in use: nodes come, go and change while jobs run.

#pragma once

#include "document/resource/resource_set.h"
#include "manager/engine/session.h"
#include "notation/idset.h"
#include "request/nodes.h"

namespace fq::manager {

using request::ReloadReply;

/// Throws as request::ReloadRequest is refused.
ReloadReply reload_inventory(const Session& session, const document::ResourceSet& wanted);

}  // namespace fq::manager
