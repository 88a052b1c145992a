// Who may use a queue: users and groups by name (RFC 33 § Access Policy). The names of the caller come from
// the system's user database, which may be slow or far away: they are looked up only where a policy asks for
// them, and never while the store is locked.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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

/// The session with the caller's names.
[[nodiscard]] Session named(const Session& session);

/// Runs `request`, which has changed nothing before it checks access, with this session; where it turns out
/// to need the caller's names, nothing of it is kept, they are looked up and it runs once more.
void with_names(const Session& session, const std::function<void(const Session&)>& request);

}  // namespace fq::manager
