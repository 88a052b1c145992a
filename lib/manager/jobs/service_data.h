// What services keep with a job: its documents `data.<service>` (RFC 16), as `data.trace`.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "manager/engine/session.h"
#include "notation/fluid.h"
#include "request/alter.h"

namespace fq::manager {

using request::ServiceDataRequest;

/// Keeps the bytes in place of what there is, with the job until it is purged. Throws Error{not_found},
/// {permission} for who does not own the store, {refused} for what would be too large.
void keep_service_data(const Session& session, const ServiceDataRequest& request);

}  // namespace fq::manager
