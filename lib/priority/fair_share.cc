#include "priority/fair_share.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/text.h"

namespace fq::priority {

namespace {

constexpr std::string_view kRatio = "ratio";
constexpr std::string_view kFairTree = "fair-tree";

// What the ratio has come to on the way from the root.
struct Served {
  double entitled = 1;  // the part of everything
  double excess = 0;    // 1: exactly served
  bool below_root = true;
};

Served below(const Served& parent, const ShareStep& step, double root_usage) {
  Served node{0, std::numeric_limits<double>::infinity(), false};
  if (step.shares <= 0 || parent.entitled <= 0) return node;
  node.entitled = parent.entitled * step.shares / step.all_shares;
  const double own = root_usage > 0 ? step.usage / root_usage / node.entitled : 0;
  node.excess = parent.below_root ? own : (own + parent.excess) / 2;
  return node;
}

double factor(const Served& node) {
  return std::exp2(-node.excess);
}

double shares_of_all(const std::vector<ShareNode>& siblings) {
  double sum = 0;
  for (const ShareNode& each : siblings) sum += each.shares;
  return sum;
}

void set_ratio(ShareNode& node, const Served& served, double root_usage) {
  const double all = shares_of_all(node.children);
  for (ShareNode& child : node.children) {
    const Served at = below(served, {child.shares, all, child.usage}, root_usage);
    child.fair_share = factor(at);
    set_ratio(child, at, root_usage);
  }
}

// A node with what it is ranked by.
struct Ranked {
  ShareNode* node;
  double weight;
};

// Equal but for what the last digits of a division make of it.
bool same_weight(double a, double b) {
  constexpr double kTolerance = 1e-12;
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= kTolerance * std::max(std::abs(a), std::abs(b));
}

void add_children(ShareNode& parent, std::vector<Ranked>& list) {
  double all_usage = 0;
  for (const ShareNode& child : parent.children) all_usage += child.usage;
  const double all_shares = shares_of_all(parent.children);
  for (ShareNode& child : parent.children) {
    double weight = 0;
    if (child.shares > 0) {
      weight = child.usage > 0 ? (child.shares / all_shares) / (child.usage / all_usage)
                               : std::numeric_limits<double>::infinity();
    }
    list.push_back({&child, weight});
  }
}

class FairTree {
 public:
  explicit FairTree(ShareNode& root) : users_(count_users(root)) { visit_children({&root}); }

 private:
  static std::size_t count_users(const ShareNode& node) {
    std::size_t users = node.is_user ? 1 : 0;
    for (const ShareNode& child : node.children) users += count_users(child);
    return users;
  }

  // Of several parents, the children are ranked together.
  void visit_children(const std::vector<ShareNode*>& parents) {
    std::vector<Ranked> list;
    for (ShareNode* parent : parents) add_children(*parent, list);
    std::stable_sort(list.begin(), list.end(),
                     [](const Ranked& a, const Ranked& b) { return a.weight > b.weight; });
    for (auto first = list.begin(); first != list.end();) {
      const auto last = std::find_if(first, list.end(),
                                     [&](const Ranked& r) { return !same_weight(r.weight, first->weight); });
      visit_equals({first, last});
      first = last;
    }
  }

  void visit_equals(const std::vector<Ranked>& equals) {
    std::vector<ShareNode*> banks;
    std::size_t users = 0;
    for (const Ranked& each : equals) {
      if (!each.node->is_user) {
        banks.push_back(each.node);
        continue;
      }
      ++users;
      each.node->rank = visited_ + 1;
      each.node->fair_share = static_cast<double>(users_ - visited_) / static_cast<double>(users_);
    }
    visited_ += users;
    if (!banks.empty()) visit_children(banks);
  }

  std::size_t users_;
  std::size_t visited_ = 0;
};

}  // namespace

FairShareAlgorithm fair_share_algorithm(const std::string& name) {
  if (name == kRatio) return FairShareAlgorithm::ratio;
  if (name == kFairTree) return FairShareAlgorithm::fair_tree;
  static const std::array<std::string, 2> kNames{std::string{kRatio}, std::string{kFairTree}};
  throw Error{
      Kind::invalid,
      fmt::format("there is no fair-share algorithm {}: expected {} or {}", quote(name), kRatio, kFairTree),
      did_you_mean(name, kNames)};
}

std::string_view name_of(FairShareAlgorithm algorithm) {
  return algorithm == FairShareAlgorithm::ratio ? kRatio : kFairTree;
}

void compute_fair_share(ShareNode& root, FairShareAlgorithm algorithm) {
  if (algorithm == FairShareAlgorithm::fair_tree) {
    static_cast<void>(FairTree(root));
    return;
  }
  root.fair_share = root.usage > 0 ? 0.5 : 1;
  set_ratio(root, Served{}, root.usage);
}

double ratio_of(std::span<const ShareStep> way, double root_usage) {
  Served at;
  for (const ShareStep& step : way) at = below(at, step, root_usage);
  return way.empty() ? 1 : factor(at);
}

}  // namespace fq::priority
