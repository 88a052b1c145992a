#include "priority/account_limits.h"

#include <gtest/gtest.h>

#include "support/error_text.h"

namespace fq::test {
namespace {

using priority::AccountLimits;
using priority::decode_limits;

std::string refused_limits(const std::string& text) {
  return error_text([&] { return decode_limits(text).nodes; });
}

TEST(AccountLimits, are_read_by_name) {
  const AccountLimits limits = decode_limits(R"({"max-running-jobs":2,"max-core-hours":1000,"max-gpus":-1})");
  AccountLimits expected;
  expected.running_jobs = 2;
  expected.core_hours = 1000;
  EXPECT_EQ(limits, expected);
  EXPECT_EQ(decode_limits(""), AccountLimits{});
}

TEST(AccountLimits, mistakes_are_named) {
  EXPECT_EQ(refused_limits(R"({"max-node":2})"),
            "there is no limit 'max-node': expected one of max-running-jobs, max-active-jobs, max-nodes, "
            "max-cores, "
            "max-gpus, max-core-hours (did you mean 'max-nodes'?)");
  EXPECT_EQ(refused_limits(R"({"max-nodes":-2})"),
            "max-nodes: expected a number from 0 to 1000000000, or -1 for none");
  EXPECT_EQ(refused_limits(R"({"max-nodes":"2"})"),
            "max-nodes: expected a number from 0 to 1000000000, or -1 for none");
}

}  // namespace
}  // namespace fq::test
