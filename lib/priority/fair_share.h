// Fair-share: how far what each user and bank has used is from what it was allotted, as a factor in [0, 1]:
// 0.5 exactly served, towards 0 over-served, towards 1 under-serviced (the priority plugin's description).
//
// The allotment is a tree of banks with users as leaves: the root owns everything, and each node divides what
// it has among its children by their shares. Two ways lead from it and from usage to factors:
//
//   ratio      With S the part of everything that a node is entitled to, and U its usage,
//                g = (U / U of the root) / S        1: exactly served
//                e = g below the root, else half of g and half of the parent's e
//                F = 2^-e
//              Without any usage F is 1 for all; without shares it is 0.
//   fair-tree  Children are ranked by shares over usage, each as a part of its siblings', and their sub-trees
//              visited in that order; F is the rank among all users over their number. Banks of equal rank
//              are visited as if they were one; equal users share the better rank, and the next is skipped.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fq::priority {

enum class FairShareAlgorithm : std::uint8_t { ratio, fair_tree };

/// By its name in the configuration: `ratio`, `fair-tree`. Throws Error{invalid} with a near match as hint.
[[nodiscard]] FairShareAlgorithm fair_share_algorithm(const std::string& name);
[[nodiscard]] std::string_view name_of(FairShareAlgorithm algorithm);

/// A bank, or a user in it.
struct ShareNode {
  std::string name;
  bool is_user = false;
  double shares = 1;  ///< of what its parent has, beside its siblings'; not negative
  double usage = 0;   ///< in any unit, the same for all; a bank's includes that of all below it
  std::vector<ShareNode> children;

  double fair_share = 0;            ///< set by compute_fair_share; under fair-tree of users only
  std::optional<std::size_t> rank;  ///< set by it: of users under fair-tree, 1 the first
};

/// Sets the factors of all nodes below `root`, and of the root.
void compute_fair_share(ShareNode& root, FairShareAlgorithm algorithm);

/// What the ratio needs of one node: of the way from a child of the root down to a user.
struct ShareStep {
  double shares = 0;
  double all_shares = 0;  ///< those of its siblings and its own
  double usage = 0;
};
/// The ratio factor of the node at the end of the way, without a look at the rest of the tree.
[[nodiscard]] double ratio_of(std::span<const ShareStep> way, double root_usage);

}  // namespace fq::priority
