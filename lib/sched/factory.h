// The schedulers by the names that `policy.scheduler` knows them by.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sched/scheduler.h"

namespace fq::sched {

[[nodiscard]] std::vector<std::string> scheduler_names();
/// A scheduler for one pass. Throws Error{invalid} that lists the names when `name` is not one of them.
[[nodiscard]] std::unique_ptr<Scheduler> make_scheduler(std::string_view name);

}  // namespace fq::sched
