// What the configuration says of accounts: how usage is counted and forgotten, and by which rule it becomes
// fair-share.
//
//   [accounting]
//   half-life = "7d"            of usage, a duration (RFC 23); "0" or "infinity": it is never forgotten
//   fair-share = "ratio"        or "fair-tree"
//   usage-weights = { core = 1, gpu = 10 }     what a second of each resource counts, and a joule of energy
//   default-bank = "guests"     takes in users whom nobody has added; without it they are refused
//   time-zone = "Europe/Berlin" where months begin that budgets are for; UTC where it is not set
//   over-budget = "wait"        jobs beyond what is left of a month's core-hours wait; "refuse": are not
//   taken

#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "priority/fair_share.h"
#include "priority/use.h"

namespace fq::priority {

struct Accounting {
  double half_life_s = 7.0 * 24 * 3600;  ///< 0 or infinity: none
  FairShareAlgorithm fair_share = FairShareAlgorithm::ratio;
  Amounts weights{1, 0, 0, 0};
  std::string default_bank;  ///< empty: unknown users are refused
  std::string time_zone = "UTC";
  bool refuse_over_budget = false;

  [[nodiscard]] double rate() const { return decay_rate(half_life_s); }
  [[nodiscard]] CountedAt counted_at(double time) const { return {time, rate(), month_of(time, time_zone)}; }

  friend bool operator==(const Accounting&, const Accounting&) = default;
};

/// Throws Error{invalid} for the first thing that is wrong, `half-life: expected …`.
[[nodiscard]] Accounting read_accounting(const nlohmann::json& table);
/// The same from the table as text; empty: nothing is set.
[[nodiscard]] Accounting decode_accounting(std::string_view text);

}  // namespace fq::priority
