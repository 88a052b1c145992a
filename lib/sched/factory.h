// The schedulers by the names that `policy.scheduler` knows them by.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sched/node_choice.h"
#include "sched/scheduler.h"

namespace fq::sched {

/// What `policy.scheduler` says: it is read here alone (RFC 33).
struct Parameters {
  std::string name = "easy";
  /// Of queues that share nodes, those with the highest are served first.
  std::uint16_t tier = 0;
  /// Requests that are looked at and wait; nothing: the scheduler's own measure, as below.
  std::optional<std::uint32_t> queue_depth;
  /// Of these, for how many a time is reserved.
  std::optional<std::uint32_t> reservation_depth;
  MatchPolicy match = MatchPolicy::pack;
  /// A program that is the scheduler (sched/external), and its arguments; empty: the one of that name.
  std::vector<std::string> command;

  /// Names of qualities of service and of queues: whose running jobs may be preempted for those of this
  /// queue.
  std::vector<std::string> preempt;
  PreemptRule preempt_rule;

  friend bool operator==(const Parameters&, const Parameters&) = default;
};
/// Throws Error{invalid} `tier: expected …`.
[[nodiscard]] Parameters read_parameters(const nlohmann::json& table);

/// A key of `table`, which read_parameters takes, that a scheduler which is a program does not use; empty
/// where there is none.
[[nodiscard]] std::string unused_beside_command(const nlohmann::json& table);

[[nodiscard]] std::vector<std::string> scheduler_names();
/// A built-in scheduler for one pass over a queue. REQUIRES parameters as read_parameters gives them; throws
/// Error{refused} where they name a command.
[[nodiscard]] std::unique_ptr<Scheduler> make_scheduler(const Parameters& parameters,
                                                        const std::string& queue = {});
/// Whether it starts jobs before others that come first in the order.
[[nodiscard]] bool starts_out_of_order(const Parameters& parameters);

}  // namespace fq::sched
