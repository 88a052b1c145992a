// Who may use a queue, or a quality of service: users and groups by name (RFC 33 § Access Policy), which are
// looked up only where a policy asks for them (manager/core/caller_names.h).

#pragma once

#include <string>
#include <string_view>

#include "document/config/config.h"
#include "manager/core/change.h"

namespace fq::manager {

/// What the system calls the caller; of another user, the number. To be called from inside with_names, or
/// with the names known.
[[nodiscard]] std::string user_name(Change& change, std::uint32_t userid);

/// Throws Error{permission} where the policy of the queue does not let the caller use it. To be called from
/// inside with_names, or with the names known.
void require_queue_access(Change& change, const document::QueueConfig& queue);

/// Throws Error{not_found} for a quality of service that there is not, Error{permission} for one that the
/// caller may not use, in `bank`, or any where it is empty. To be called like that.
void require_qos(Change& change, std::string_view qos, std::string_view bank);

}  // namespace fq::manager
