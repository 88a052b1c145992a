// Factors, weights and trees of shares as JSON documents, for who asks without a store.

#pragma once

#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "priority/fair_share.h"
#include "priority/parameters.h"

namespace fq::priority {

/// `{"factors": {"wait_time": 0.5, …}, "weights": {"wait_time": 1000, …}}`. What the factors lack is 0, what
/// the weights lack as configured by default.
struct WeighedFactors {
  Factors factors, weights;
};
/// One of these, or an array of them. Throws Error{invalid} that names the place: `[1].factors.qos: …`.
[[nodiscard]] std::vector<WeighedFactors> read_weighed_factors(const nlohmann::json& document);

/// The names with `_`, each with its number.
[[nodiscard]] nlohmann::json to_json(const Factors& factors);

/// `{"bank": "root", "children": [{"bank": …, "shares": 3, "children": […]}, {"user": …, "shares": 1,
/// "usage": 20}]}`. Shares are 1 where they are not given; a bank's usage is the sum of its children's.
/// Throws Error{invalid}.
[[nodiscard]] ShareNode read_share_tree(const nlohmann::json& document);
/// The document with `fairshare`, and `rank` where there is one, in every object below the root that has a
/// factor. REQUIRES the tree that read_share_tree made of it, computed.
void add_fair_share(nlohmann::ordered_json& document, const ShareNode& tree);

}  // namespace fq::priority
