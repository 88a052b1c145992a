#include "priority/accounting.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "priority/account.h"
#include "support/error_text.h"

namespace fq::test {
namespace {

using priority::Accounting;

std::string refused(const std::string& text) {
  return error_text([&] { return priority::decode_accounting(text).half_life_s; });
}

TEST(Accounting, PRIO_26_usage_is_halved_in_a_week_unless_configured) {
  EXPECT_EQ(priority::decode_accounting("").half_life_s, 7 * 24 * 3600);
  EXPECT_EQ(priority::decode_accounting(R"({"half-life":"1d"})").half_life_s, 24 * 3600);
  EXPECT_NEAR(std::exp(-priority::decode_accounting("{}").rate() * 7 * 24 * 3600), 0.5, 1e-12);
  EXPECT_EQ(priority::decode_accounting(R"({"half-life":"0"})").rate(), 0);
  EXPECT_EQ(priority::decode_accounting(R"({"half-life":"infinity"})").rate(), 0);
}

TEST(Accounting, PRIO_9_cores_count_and_others_as_configured) {
  const priority::Amounts used{10, 2, 1, 4};
  EXPECT_EQ(priority::weighted(used, Accounting{}.weights), 10);
  const Accounting own = priority::decode_accounting(R"({"usage-weights":{"core":1,"gpu":20,"memory":0.5}})");
  EXPECT_EQ(priority::weighted(used, own.weights), 52);
  const priority::Amounts with_energy{10, 0, 0, 0, 7200};
  EXPECT_EQ(priority::weighted(with_energy, Accounting{}.weights), 10);
  EXPECT_EQ(priority::weighted(with_energy,
                               priority::decode_accounting(R"({"usage-weights":{"energy":0.5}})").weights),
            3600);
}

TEST(Accounting, mistakes_are_named) {
  EXPECT_EQ(refused(R"({"half-life":7})"), "half-life: expected a string, got an integer");
  EXPECT_EQ(refused(R"({"fair-share":"tree"})"),
            "fair-share: there is no fair-share algorithm 'tree': expected ratio or fair-tree");
  EXPECT_EQ(refused(R"({"usage-weights":{"core":1e10}})"),
            "usage-weights.core: expected a number from 0 to 1000000000, got 10000000000");
  EXPECT_EQ(refused(R"({"default-bank":"-x"})"), "default-bank: the name of a bank cannot begin with '-'");
}

TEST(Accounting, names_have_nothing_in_them_that_lists_and_tables_use) {
  EXPECT_EQ(priority::account_name_fault("bank", "physics-2_b.c"), "");
  EXPECT_EQ(priority::account_name_fault("bank", "päda"), "");
  EXPECT_EQ(priority::account_name_fault("user", ""), "a user needs a name");
  EXPECT_EQ(priority::account_name_fault("user", std::string(129, 'x')),
            "the name of the user has more than 128 bytes");
  for (const char* name : {"a b", "a,b", "a:b", "a/b", "a=b", "a\nb", "a|b", "'a'"})
    EXPECT_NE(priority::account_name_fault("bank", name), "") << name;
}

}  // namespace
}  // namespace fq::test
