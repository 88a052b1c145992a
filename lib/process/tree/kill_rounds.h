// How often, and when, the processes of a job are killed that do not end: again after the grace, then each
// time after twice as long, as often as the configuration says, or without end.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <fmt/core.h>

#include "base/text.h"

namespace fq::process {

struct KillRules {
  double grace_s = 5;
  std::uint32_t most = 0;  ///< kills; 0: without end
};

struct KillRounds {
  std::uint32_t kills = 0;  ///< so far
  double pause_s = 0;       ///< from the last one to the next
  double next = 0;          ///< boot time of the next one

  static constexpr double kShortestPause = 0.05, kLongestPause = 300;

  /// Whether it is time to kill again, or to give up.
  [[nodiscard]] bool is_due(double now) const { return now >= next; }
  /// Whether what lives still is given up: the last kill, too, has had its time. REQUIRES that a round is
  /// due.
  [[nodiscard]] bool are_over(const KillRules& rules) const { return rules.most > 0 && kills >= rules.most; }
  /// Counts a kill at `now`.
  void begin(const KillRules& rules, double now) {
    pause_s = std::clamp(++kills == 1 ? rules.grace_s : 2 * pause_s, kShortestPause, kLongestPause);
    next = now + pause_s;
  }

  friend bool operator==(const KillRounds&, const KillRounds&) = default;
};

/// The note of the exception of a job of which `left` processes were given up.
[[nodiscard]] inline std::string unkillable_note(std::size_t left, std::uint32_t kills) {
  return fmt::format("{} process{} left after {}", left, left == 1 ? " was" : "es were",
                     counted(kills, "kill attempt"));
}

}  // namespace fq::process
