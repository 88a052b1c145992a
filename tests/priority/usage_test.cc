#include "priority/usage.h"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace fq::priority {
namespace {

constexpr double kWeek = 7.0 * 24 * 3600;
constexpr double kStart = 1.7e9;

Amounts cores(double n) {
  return {n, 0, 0, 0};
}

bool near(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

TEST(Usage, HalvesInEachHalfLife) {
  Usage usage;
  usage.shift({cores(1000), cores(1000)}, kStart, decay_rate(kWeek));
  EXPECT_NEAR(usage.at(kStart + kWeek, decay_rate(kWeek))[0], 500, 1e-6);
  EXPECT_NEAR(usage.at(kStart + 3 * kWeek, decay_rate(kWeek))[0], 125, 1e-6);
  EXPECT_EQ(usage.total_at(kStart + 3 * kWeek)[0], 1000);
}

TEST(Usage, CountsWhatIsHeldAtAnyInstant) {
  Usage usage;
  usage.hold({4, 1, 2, 8}, kStart, 0);
  EXPECT_EQ(usage.at(kStart + 10, 0), (Amounts{40, 10, 20, 80}));
  usage.let_go({3, 1, 1, 8}, kStart + 10, 0);
  EXPECT_EQ(usage.at(kStart + 20, 0), (Amounts{50, 10, 30, 80}));
}

TEST(Usage, WithoutAHalfLifeNothingDecays) {
  EXPECT_EQ(decay_rate(0), 0);
  EXPECT_EQ(decay_rate(INFINITY), 0);
  Usage usage;
  usage.shift({cores(5), cores(5)}, kStart, 0);
  EXPECT_EQ(usage.at(kStart + 1e9, 0)[0], 5);
}

TEST(Usage, NeverShrinksBecauseAClockWentBack) {
  Usage usage;
  const double rate = decay_rate(kWeek);
  usage.hold(cores(10), kStart, rate);
  usage.advance(kStart + 100, rate);
  const Amounts then = usage.at(kStart + 100, rate);
  EXPECT_EQ(usage.at(kStart, rate), then);
  usage.advance(kStart - 1e6, rate);
  EXPECT_EQ(usage.at(kStart - 1e6, rate), then);
}

TEST(Usage, ALittleThatIsLeftIsNothing) {
  Usage usage;
  usage.shift({cores(1), cores(1)}, kStart, decay_rate(1));
  EXPECT_EQ(usage.at(kStart + 60, decay_rate(1))[0], 0);
}

TEST(Usage, ACreditGoesAsFarAsThereIsUsage) {
  Usage usage;
  usage.shift({cores(100), cores(100)}, kStart, 0);
  const Usage::Shift credit = usage.shift_of(cores(-250), kStart, kStart, 0);
  EXPECT_EQ(credit.decayed[0], -100);
  usage.shift(credit, kStart, 0);
  EXPECT_EQ(usage.at(kStart, 0)[0], 0);
}

TEST(Usage, WhatWasUsedEarlierHasDecayedUntilNow) {
  Usage usage;
  const double rate = decay_rate(kWeek);
  usage.advance(kStart, rate);
  usage.shift(usage.shift_of(cores(800), kStart - 2 * kWeek, kStart, rate), kStart, rate);
  EXPECT_NEAR(usage.at(kStart, rate)[0], 200, 1e-6);
  EXPECT_EQ(usage.total_at(kStart)[0], 800);
}

TEST(Usage, IsTheSameInAnySplitOfTime) {
  EXPECT_TRUE(rc::check(
      "advancing in steps changes nothing", [](std::vector<std::uint16_t> steps, std::uint8_t held) {
        const double rate = decay_rate(kWeek / 7);
        Usage stepwise, at_once;
        stepwise.hold(cores(held), kStart, rate);
        at_once.hold(cores(held), kStart, rate);
        double time = kStart;
        for (const std::uint16_t step : steps) {
          time += step;
          stepwise.advance(time, rate);
        }
        RC_ASSERT(near(stepwise.at(time + 1000, rate)[0], at_once.at(time + 1000, rate)[0]));
        RC_ASSERT(near(stepwise.total_at(time)[0], at_once.total_at(time)[0]));
      }));
}

TEST(Usage, ThatOfAllIsTheSumOfEachOnes) {
  EXPECT_TRUE(rc::check("a bank that takes part in each change has its users' sum", [] {
    const double rate = decay_rate(3600);
    std::array<Usage, 3> users;
    Usage bank;
    std::array<double, 3> held{};
    double time = kStart;
    for (int i = 0; i < 50; ++i) {
      time += *rc::gen::inRange(0, 4000);
      const auto who = static_cast<std::size_t>(*rc::gen::inRange(0, 3));
      const double n = *rc::gen::inRange(1, 100);
      if (*rc::gen::inRange(0, 3) > 0 || held[who] < n) {
        users[who].hold(cores(n), time, rate);
        bank.hold(cores(n), time, rate);
        held[who] += n;
      } else {
        users[who].let_go(cores(n), time, rate);
        bank.let_go(cores(n), time, rate);
        held[who] -= n;
      }
    }
    double sum = 0;
    Usage folded;
    for (const Usage& user : users) {
      sum += user.at(time + 500, rate)[0];
      folded.add(user, time, rate);
    }
    RC_ASSERT(near(bank.at(time + 500, rate)[0], sum));
    RC_ASSERT(near(folded.at(time + 500, rate)[0], sum));
  }));
}

TEST(Usage, IsWeightedByResource) {
  EXPECT_EQ(weighted({10, 2, 3, 4}, {1, 50, 0, 0.25}), 111);
}

}  // namespace
}  // namespace fq::priority
