// The jobs inside which this process runs: for their end it must not wait.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "manager/engine/session.h"

namespace fq::cli {

/// Those of this store, the innermost first.
[[nodiscard]] std::vector<notation::JobId> own_jobs(const manager::Session& session);

/// Throws Error{refused} where one of the jobs is one of them.
void require_not_own(const manager::Session& session, const std::vector<notation::JobId>& ids);
/// Throws Error{refused} where one of them is in the queue or in a virtual queue of it; without a queue,
/// where there is one.
void require_not_inside(const manager::Session& session, const std::optional<std::string>& queue);

}  // namespace fq::cli
