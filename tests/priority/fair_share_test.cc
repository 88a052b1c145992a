#include "priority/fair_share.h"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/error.h"

namespace fq::priority {
namespace {

ShareNode user(const std::string& name, double shares, double usage) {
  return {name, true, shares, usage, {}, 0, {}};
}

ShareNode bank(const std::string& name, double shares, std::vector<ShareNode> children) {
  ShareNode node{name, false, shares, 0, std::move(children), 0, {}};
  for (const ShareNode& child : node.children) node.usage += child.usage;
  return node;
}

// `name=factor` of every user in the order of the tree, with six digits at most, as they are published.
std::string factors(const ShareNode& node) {
  if (node.is_user) return fmt::format("{}={:.6g} ", node.name, node.fair_share);
  std::string text;
  for (const ShareNode& child : node.children) text += factors(child);
  return text;
}

// The trees that flux-accounting publishes with their factors.
ShareNode account1(double usage2 = 10) {
  return bank("account1", 1000,
              {user("leaf.1.1", 10000, 100), user("leaf.1.2", 1000, usage2), user("leaf.1.3", 100000, 10)});
}
ShareNode account2() {
  return bank("account2", 100,
              {user("leaf.2.1", 10000, 10), user("leaf.2.2", 1000, 1), user("leaf.2.3", 100000, 1)});
}
ShareNode account3() {
  return bank("account3", 10, {user("leaf.3.1", 100, 0), user("leaf.3.2", 10, 1)});
}

std::string fair_tree(ShareNode root) {
  compute_fair_share(root, FairShareAlgorithm::fair_tree);
  return factors(root);
}

TEST(FairTree, ReproducesThePublishedTreeWithoutTies) {
  ShareNode two = bank("account2", 100, {user("leaf.2.1", 100000, 8), user("leaf.2.2", 10000, 3)});
  EXPECT_EQ(fair_tree(bank("root", 1000, {account1(11), two, account3()})),
            "leaf.1.1=0.285714 leaf.1.2=0.142857 leaf.1.3=0.428571 leaf.2.1=0.714286 leaf.2.2=0.571429 "
            "leaf.3.1=1 leaf.3.2=0.857143 ");
}

TEST(FairTree, RanksTheChildrenOfEqualBanksTogether) {
  EXPECT_EQ(fair_tree(bank("root", 1000, {account1(), account2(), account3()})),
            "leaf.1.1=0.5 leaf.1.2=0.5 leaf.1.3=0.75 leaf.2.1=0.5 leaf.2.2=0.5 leaf.2.3=0.75 leaf.3.1=1 "
            "leaf.3.2=0.875 ");
}

TEST(FairTree, EqualUsersShareTheBetterRankAndTheNextIsSkipped) {
  ShareNode three =
      bank("account3", 10000,
           {user("leaf.3.1", 10000, 1000), user("leaf.3.2", 1000, 100), user("leaf.3.3", 100000, 100)});
  ShareNode root = bank("root", 1000, {account1(), account2(), three});
  compute_fair_share(root, FairShareAlgorithm::fair_tree);
  EXPECT_EQ(factors(root),
            "leaf.1.1=0.666667 leaf.1.2=0.666667 leaf.1.3=1 leaf.2.1=0.666667 leaf.2.2=0.666667 leaf.2.3=1 "
            "leaf.3.1=0.666667 leaf.3.2=0.666667 leaf.3.3=1 ");
  EXPECT_EQ(root.children[0].children[0].rank, 4U);
  EXPECT_EQ(root.children[2].children[2].rank, 1U);
}

TEST(FairTree, AUserBesideABankOfEqualWeightComesBeforeThoseInIt) {
  EXPECT_EQ(
      fair_tree(bank("root", 1000, {user("leaf.0.1", 100, 12), account1(), account3()})),
      "leaf.0.1=0.666667 leaf.1.1=0.333333 leaf.1.2=0.333333 leaf.1.3=0.5 leaf.3.1=1 leaf.3.2=0.833333 ");
}

TEST(FairTree, WhoHasNoSharesComesLastAndWhoUsedNothingFirst) {
  ShareNode two =
      bank("account2", 100, {user("leaf.2.1", 0, 10), user("leaf.2.2", 0, 1), user("leaf.2.3", 100000, 1)});
  ShareNode root = bank("root", 1000, {account1(), two, account3()});
  compute_fair_share(root, FairShareAlgorithm::fair_tree);
  EXPECT_EQ(root.children[1].children[0].rank, root.children[1].children[1].rank);
  EXPECT_EQ(root.children[1].children[0].rank, 7U);
  EXPECT_EQ(root.children[2].children[0].rank, 1U);
  EXPECT_EQ(fair_tree(bank("root", 1, {user("idle", 1, 0), user("poor", 0, 0), user("busy", 1000, 1e-9)})),
            "idle=1 poor=0.333333 busy=0.666667 ");
}

TEST(FairTree, ATreeWithoutUsersHasNothingToRank) {
  EXPECT_EQ(fair_tree(bank("root", 1, {})), "");
  EXPECT_EQ(fair_tree(bank("root", 1, {bank("a", 1, {})})), "");
}

std::string ratio(ShareNode root) {
  compute_fair_share(root, FairShareAlgorithm::ratio);
  return factors(root);
}

TEST(Ratio, ExactlyServedAtEveryLevelIsAHalf) {  // PRIO.10
  EXPECT_EQ(ratio(bank("root", 1,
                       {bank("a", 3, {user("ada", 2, 400), user("bob", 1, 200)}),
                        bank("b", 1, {user("cleo", 1, 200)})})),
            "ada=0.5 bob=0.5 cleo=0.5 ");
}

TEST(Ratio, TheOverServedGoTowardsZeroAndTheUnderServicedTowardsOne) {  // PRIO.8, PRIO.10
  ShareNode root = bank("root", 1, {user("greedy", 1, 1e6), user("idle", 1e6, 0)});
  compute_fair_share(root, FairShareAlgorithm::ratio);
  EXPECT_LT(root.children[0].fair_share, 1e-6);
  EXPECT_EQ(root.children[1].fair_share, 1);
}

TEST(Ratio, WithoutUsageItIsOneForAllWhoHaveSharesAndZeroWithout) {
  EXPECT_EQ(ratio(bank("root", 1, {user("ada", 1, 0), user("none", 0, 0)})), "ada=1 none=0 ");
}

TEST(Ratio, AnOverServedBankTakesTheUsersInItAlong) {
  ShareNode root =
      bank("root", 1,
           {bank("a", 1, {user("ada", 1, 900), user("new", 1, 0)}), bank("b", 1, {user("bob", 1, 100)})});
  compute_fair_share(root, FairShareAlgorithm::ratio);
  // a used 0.9 of a half: g = 1.8; ada 0.9 of a quarter: g = 3.6, e = 2.7; new: g = 0, e = 0.9.
  EXPECT_DOUBLE_EQ(root.children[0].fair_share, std::exp2(-1.8));
  EXPECT_DOUBLE_EQ(root.children[0].children[0].fair_share, std::exp2(-2.7));
  EXPECT_DOUBLE_EQ(root.children[0].children[1].fair_share, std::exp2(-0.9));
  EXPECT_DOUBLE_EQ(root.children[1].children[0].fair_share, std::exp2(-0.2));
}

TEST(Ratio, PRIO_25_AmongSiblingsItIsProportionalToTheDegreeOfService) {
  EXPECT_TRUE(rc::check(
      "-log2 F is affine in usage over shares",
      [](std::vector<std::pair<std::uint8_t, std::uint16_t>> given) {
        RC_PRE(given.size() >= 3U);
        std::vector<ShareNode> users;
        for (const auto& [shares, usage] : given) users.push_back(user("u", 1.0 + shares, usage));
        ShareNode root = bank("root", 1, {bank("a", 2, users), bank("b", 1, {user("x", 1, 7)})});
        compute_fair_share(root, FairShareAlgorithm::ratio);
        const std::vector<ShareNode>& siblings = root.children[0].children;
        const auto served = [](const ShareNode& n) { return n.usage / n.shares; };
        const auto excess = [](const ShareNode& n) { return -std::log2(n.fair_share); };
        for (std::size_t i = 2; i < siblings.size(); ++i) {
          const double left =
              (excess(siblings[i]) - excess(siblings[0])) * (served(siblings[1]) - served(siblings[0]));
          const double right =
              (excess(siblings[1]) - excess(siblings[0])) * (served(siblings[i]) - served(siblings[0]));
          RC_ASSERT(std::abs(left - right) <= 1e-9 * (1 + std::abs(left)));
        }
      }));
}

TEST(Ratio, OneUsersWayGivesWhatTheWholeTreeDoes) {
  ShareNode root =
      bank("root", 1,
           {bank("a", 3, {user("ada", 2, 500), user("bob", 1, 20)}), bank("b", 1, {user("cleo", 1, 80)})});
  compute_fair_share(root, FairShareAlgorithm::ratio);
  const std::vector<ShareStep> way{{3, 4, 520}, {1, 3, 20}};
  EXPECT_DOUBLE_EQ(ratio_of(way, 600), root.children[0].children[1].fair_share);
  EXPECT_EQ(ratio_of({}, 600), 1);
}

TEST(FairShareAlgorithm, IsKnownByItsName) {
  EXPECT_EQ(fair_share_algorithm("ratio"), FairShareAlgorithm::ratio);
  EXPECT_EQ(name_of(fair_share_algorithm("fair-tree")), "fair-tree");
  try {
    static_cast<void>(fair_share_algorithm("fairtree"));
    FAIL();
  } catch (const Error& failure) {
    EXPECT_STREQ(failure.what(), "there is no fair-share algorithm 'fairtree': expected ratio or fair-tree");
    EXPECT_EQ(failure.hint(), "did you mean 'fair-tree'?");
  }
}

}  // namespace
}  // namespace fq::priority
