#include "cli/report/shares_chart.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace fq::cli {
namespace {

using request::AccountNode;
using request::SiteReport;

AccountNode node(const std::string& name, bool is_user, double allotted,
                 std::vector<AccountNode> children = {}) {
  AccountNode made;
  made.is_user = is_user;
  made.name = name;
  made.allotted = allotted;
  made.children = std::move(children);
  return made;
}

// `physics 0.75: 1 0.5`, a line each.
std::string text(const std::vector<DeliveredShare>& shares) {
  std::string out;
  for (const DeliveredShare& share : shares) {
    out += fmt::format("{} {}:", share.bank, share.allotted);
    for (const double part : share.delivered) out += fmt::format(" {}", part);
    out += '\n';
  }
  return out;
}

SiteReport report() {
  SiteReport made;
  made.accounts.exists = true;
  made.accounts.root =
      node("root", false, 1,
           {node("biology", false, 0.25), node("idle", false, 0),
            node("physics", false, 0.5, {node("optics", false, 0.5, {node("ada", true, 0.5)})}),
            node("bob", true, 0.25)});
  made.days.resize(3);
  return made;
}

TEST(DeliveredShares, AreOfBanksBelowTheRootAndOfAllUntilTheEndOfEachDay) {
  SiteReport made = report();
  made.days[1].core_hours = {{"optics", 3}, {"biology", 1}};
  made.days[2].core_hours = {{"physics", 1}, {"root", 3}, {"gone", 100}};
  EXPECT_EQ(text(delivered_shares(made)),
            "physics 0.5: 0 0.75 0.5\n"
            "biology 0.25: 0 0.25 0.125\n"
            "root 0.25: 0 0 0.375\n");
}

TEST(DeliveredShares, NeedAccountsAndSomethingThatWasUsed) {
  EXPECT_EQ(shares_chart(report()), "<p>Nothing was used in these days.</p>\n");
  EXPECT_TRUE(delivered_shares({}).empty());
  EXPECT_EQ(shares_chart({}), "<p>There are no accounts: everybody is equal.</p>\n");
}

TEST(DeliveredShares, ACreditIsNoNegativeShare) {
  SiteReport made = report();
  made.days[0].core_hours = {{"physics", 2}, {"biology", -1}};
  EXPECT_EQ(text(delivered_shares(made)), "physics 0.5: 1 1 1\nbiology 0.25: 0 0 0\nroot 0.25: 0 0 0\n");
}

}  // namespace
}  // namespace fq::cli
