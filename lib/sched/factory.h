// The schedulers by the names that `policy.scheduler` knows them by.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sched/scheduler.h"

namespace fq::sched {

/// What `policy.scheduler` says: it is read here alone (RFC 33).
struct Parameters {
  std::string name = "fcfs";
  /// Of queues that share nodes, those with the highest are served first.
  std::uint16_t tier = 0;

  friend bool operator==(const Parameters&, const Parameters&) = default;
};
/// Throws Error{invalid} `tier: expected …`.
[[nodiscard]] Parameters read_parameters(const nlohmann::json& table);

[[nodiscard]] std::vector<std::string> scheduler_names();
/// A scheduler for one pass. Throws Error{invalid} that lists the names when `name` is not one of them.
[[nodiscard]] std::unique_ptr<Scheduler> make_scheduler(std::string_view name);

}  // namespace fq::sched
