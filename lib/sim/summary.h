// What a simulation adds up to: how long jobs waited, and how well the machine was used.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sim/machine.h"

namespace fq::sim {

/// Of a number of values; the 95th percentile is the smallest that at least 95 % do not exceed.
struct Distribution {
  double mean = 0, median = 0, p95 = 0, max = 0;
};

struct Waits {
  std::uint64_t jobs = 0;
  Distribution wait;  ///< seconds from submission to start
  /// (wait + run) / run, with 10 s for shorter runs, at least 1.
  Distribution slowdown;
  double utilisation = 0;  ///< of all core seconds from the first submission to the last end, 0..1
};

struct Summary {
  Waits all;
  std::map<std::string, Waits> queues;
  std::map<std::int64_t, Waits> users;
  std::map<std::int64_t, std::string> names;  ///< of users that have one
  /// Why jobs were denied: a row for each text, by how many.
  struct Reason {
    std::string text;
    std::uint64_t jobs = 0;
    std::uint64_t first = 0;  ///< of these jobs
  };
  std::vector<Reason> reasons;
  std::uint64_t denied = 0;
  std::uint64_t waiting = 0;      ///< never started
  std::uint64_t preemptions = 0;  ///< stays that were cut off
  double lost_core_seconds = 0;   ///< that these had
  double makespan = 0;            ///< seconds from the first submission to the last end
};

[[nodiscard]] Summary summarise(const Outcome& outcome);
[[nodiscard]] nlohmann::ordered_json to_json(const Summary& summary);
/// The name of a user, or else the number.
[[nodiscard]] std::string user_name(const std::map<std::int64_t, std::string>& names, std::int64_t user);
/// The runs, an object each: id, queue, user, submit, start, end, R.
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<JobRun>& runs,
                                             const std::map<std::int64_t, std::string>& names = {});

}  // namespace fq::sim
