// What the configuration says of accounts: how usage is counted and forgotten, and by which rule it becomes
// fair-share.
//
//   [accounting]
//   half-life = "7d"            of usage, a duration (RFC 23); "0" or "infinity": it is never forgotten
//   fair-share = "ratio"        or "fair-tree"
//   usage-weights = { core = 1, gpu = 10 }     what a second of each resource counts
//   default-bank = "guests"     takes in users whom nobody has added; without it they are refused

#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "priority/fair_share.h"
#include "priority/usage.h"

namespace fq::priority {

struct Accounting {
  double half_life_s = 7.0 * 24 * 3600;  ///< 0 or infinity: none
  FairShareAlgorithm fair_share = FairShareAlgorithm::ratio;
  Amounts weights{1, 0, 0, 0};
  std::string default_bank;  ///< empty: unknown users are refused

  [[nodiscard]] double rate() const { return decay_rate(half_life_s); }

  friend bool operator==(const Accounting&, const Accounting&) = default;
};

/// Throws Error{invalid} for the first thing that is wrong, `half-life: expected …`.
[[nodiscard]] Accounting read_accounting(const nlohmann::json& table);
/// The same from the table as text; empty: nothing is set.
[[nodiscard]] Accounting decode_accounting(std::string_view text);

}  // namespace fq::priority
