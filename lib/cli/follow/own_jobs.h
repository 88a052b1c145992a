// The jobs inside which this process runs: for their end it must not wait.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "door/door.h"

namespace fq::cli {

/// Those of this store, the innermost first.
[[nodiscard]] std::vector<notation::JobId> own_jobs(const door::Door& door);

/// Throws Error{refused} where one of the jobs is one of them.
void require_not_own(const door::Door& door, const std::vector<notation::JobId>& ids);
/// Throws Error{refused} where one of them is in the queue or in a virtual queue of it; without a queue,
/// where there is one.
void require_not_inside(const door::Door& door, const std::optional<std::string>& queue);

}  // namespace fq::cli
