#include "priority/use.h"

#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "priority/usage.h"

namespace fq::test {
namespace {

using priority::CountedAt;
using priority::Holding;
using priority::Use;

// Months of a thousand seconds.
CountedAt at(double time, double rate = 0) {
  const double begin = static_cast<double>(static_cast<int>(time / 1000)) * 1000;
  return {time, rate, {begin, begin + 1000}};
}

Holding cores(double n, std::int64_t end = 0) {
  return {{n, 0, 1, 0}, end};
}

TEST(Use, counts_from_the_beginning_of_the_month) {
  Use use;
  use.start(cores(2), at(1100));
  EXPECT_EQ(use.spent(at(1600)), 1000);
  // Nothing was written since, and a new month begins.
  EXPECT_EQ(use.spent(at(2000)), 0);
  EXPECT_EQ(use.spent(at(2300)), 600);
  use.end(cores(2), at(2500));
  EXPECT_EQ(use.spent(at(2900)), 1000);
  EXPECT_EQ(use.spent(at(4000)), 0);
}

TEST(Use, running_jobs_claim_what_their_time_limit_lets_them_use) {
  Use use;
  use.start(cores(2, 1500), at(1000));
  use.start(cores(1), at(1000));
  // Without a time limit until the month ends.
  EXPECT_EQ(use.claimed(at(1000)), 2 * 500 + 1000);
  EXPECT_EQ(use.claimed(at(1200)), 2 * 300 + 800);
  use.prolong(cores(2, 1500), 1700);
  EXPECT_EQ(use.claimed(at(1200)), 2 * 500 + 800);
  use.prolong(cores(2, 1700), 0);
  EXPECT_EQ(use.claimed(at(1200)), 3 * 800);
  use.prolong(cores(2, 0), 1400);
  use.end(cores(2, 1400), at(1300));
  EXPECT_EQ(use.claimed(at(1300)), 700);
  EXPECT_EQ(use.claims.core_ends, 0);
  EXPECT_EQ(use.running, 1U);
}

TEST(Use, what_is_charged_for_an_earlier_month_is_not_spent_in_this_one) {
  Use use;
  use.shift({{}, {300}}, 900, at(1100));
  EXPECT_EQ(use.spent(at(1100)), 0);
  use.shift({{}, {200}}, 1050, at(1100));
  EXPECT_EQ(use.spent(at(1100)), 200);
  EXPECT_EQ(use.usage.total_at(1100)[0], 500);
}

// Whatever was written when, a month's use is what was held in it; and a bank's is the sum.
RC_GTEST_PROP(Use, months_do_not_depend_on_when_is_written, ()) {
  const auto lengths = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 700));
  const auto sizes = *rc::gen::container<std::vector<int>>(lengths.size(), rc::gen::inRange(1, 9));
  Use one, other, sum;
  double time = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    Use& user = i % 2 == 0 ? one : other;
    user.start(cores(sizes[i]), at(time, 1e-3));
    sum.start(cores(sizes[i]), at(time, 1e-3));
    time += lengths[i];
    user.end(cores(sizes[i]), at(time, 1e-3));
    if (i % 3 == 0) user.advance(at(time, 1e-3));
    sum.end(cores(sizes[i]), at(time, 1e-3));
  }
  double expected = 0, from = 0;
  const double begin = at(time).month.begin;
  for (std::size_t i = 0; i < lengths.size(); from += lengths[i++])
    expected += sizes[i] * std::max(0.0, from + lengths[i] - std::max(from, begin));
  RC_ASSERT(std::abs(sum.spent(at(time)) - expected) < 1e-6);
  RC_ASSERT(std::abs(one.spent(at(time)) + other.spent(at(time)) - expected) < 1e-6);
  Use added;
  added.add(one, at(time, 1e-3));
  added.add(other, at(time, 1e-3));
  RC_ASSERT(std::abs(added.spent(at(time)) - expected) < 1e-6);
}

}  // namespace
}  // namespace fq::test
