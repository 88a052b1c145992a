// What banks were delivered against what their shares give them, over time.

#pragma once

#include <string>
#include <vector>

#include "request/site.h"

namespace fq::cli {

/// A bank right below the root, with all that is in it; or users right in the root together.
struct DeliveredShare {
  std::string bank;
  double allotted = 0;            ///< the part of everything that its shares give it
  std::vector<double> delivered;  ///< the part of all core-hours from the first day to the end of each
};

/// Of all such banks that may or did use something, those that are allotted most first. A day before anything
/// was used has 0. Nothing where there are no accounts.
[[nodiscard]] std::vector<DeliveredShare> delivered_shares(const request::SiteReport& report);

/// The chart of these as HTML: lines, and dashed what each is allotted. A sentence where there is nothing to
/// show.
[[nodiscard]] std::string shares_chart(const request::SiteReport& report);

}  // namespace fq::cli
