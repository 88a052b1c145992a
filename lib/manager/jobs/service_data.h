// What services keep with a job: its documents `data.<service>` (RFC 16), as `data.trace`.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "manager/engine/session.h"
#include "notation/fluid.h"

namespace fq::manager {

/// What all services keep with one job may take so many bytes, their names included.
inline constexpr std::size_t kMaxServiceBytes = 1U << 20U;

/// Throws Error{usage} for what is no key (notation/kvs_key.h), and for what only fq may keep: `fq`, `fq.…`.
void require_service_name(std::string_view service);

struct ServiceDataRequest {
  notation::JobId id;
  std::string service;
  std::string bytes;
};

/// Keeps the bytes in place of what there is, with the job until it is purged. Throws Error{not_found},
/// {permission} for who does not own the store, {refused} for what would be too large.
void keep_service_data(const Session& session, const ServiceDataRequest& request);

}  // namespace fq::manager
