// What an association, a whole bank, or those who use a queue or a quality of service may have at the same
// time, and use in a month.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace fq::priority {

struct AccountLimits {
  static constexpr std::int64_t kNone = -1;
  static constexpr std::int64_t kMost = 1'000'000'000;
  std::int64_t running_jobs = kNone, active_jobs = kNone, nodes = kNone, cores = kNone, gpus = kNone;
  std::int64_t core_hours = kNone;  ///< from one month's beginning to the next one's

  friend bool operator==(const AccountLimits&, const AccountLimits&) = default;
};

struct LimitName {
  std::string_view name;  ///< in options and messages: `max-NAME`
  std::int64_t AccountLimits::*member;
  std::string_view effect;  ///< what it bounds, and what becomes of a job beyond it
};
inline constexpr std::array<LimitName, 6> kLimitNames{
    {{"running-jobs", &AccountLimits::running_jobs, "running jobs at most: others wait"},
     {"active-jobs", &AccountLimits::active_jobs, "active jobs at most: others are refused"},
     {"nodes", &AccountLimits::nodes, "nodes at most: others wait"},
     {"cores", &AccountLimits::cores, "cores at most: others wait"},
     {"gpus", &AccountLimits::gpus, "gpus at most: others wait"},
     {"core-hours", &AccountLimits::core_hours, "core-hours a month at most: others wait"}}};

/// From a table of a configuration, `{ max-running-jobs = 4, max-core-hours = 1000 }`. Throws Error{invalid}
/// for the first thing that is wrong, `max-nodes: expected …`.
[[nodiscard]] AccountLimits read_limits(const nlohmann::json& table);
/// The same from the table as text; empty: there is no limit.
[[nodiscard]] AccountLimits decode_limits(std::string_view text);

}  // namespace fq::priority
