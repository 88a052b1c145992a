// What fq-submit and fq-bulksubmit do with a plan: submit its jobs, print their ids, and wait for them.

#pragma once

#include <string_view>

#include "cli/submit/bulk_plan.h"
#include "door/door.h"

namespace fq::cli {

/// Returns the exit code. `options` are those of the command line. Throws Error.
[[nodiscard]] int run_bulk(std::string_view command, const door::Door& door, BulkPlan& plan,
                           const BulkOptions& options);

}  // namespace fq::cli
