#include "priority/scheme.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "priority/evaluator.h"

namespace fq::priority {
namespace {

constexpr double kDay = 24.0 * 3600;
constexpr double kNow = 1.7e9;

TEST(Multifactor, IsTheSumOfSixWeightedFactors) {  // PRIO.4
  const Factors weights{1000, 100000, 10000, 20000, 500, 3000};
  EXPECT_EQ(multifactor_priority(points_of(weights, {1, 1, 1, 1, 1, 1})), 134500U);
  EXPECT_EQ(multifactor_priority(points_of(weights, {0.5, 0.25, 0.5, 1, 0.1, 0})),
            500U + 25000 + 5000 + 20000 + 50);
}

TEST(Multifactor, AFactorWithoutWeightIsSwitchedOff) {  // PRIO.6
  EXPECT_EQ(multifactor_priority(points_of({0, 10, 0, 0, 0, 0}, {1, 0.5, 1, 1, 1, 1})), 5U);
}

TEST(Multifactor, NeverHoldsAndNeverExpedites) {
  EXPECT_EQ(multifactor_priority({}), kLeast);
  EXPECT_EQ(multifactor_priority({5e9, 0, 0, 0, 0, 0}), kMost);
}

TEST(WaitFactor, GrowsUntilTheLongestWaitThatCounts) {  // PRIO.7
  EXPECT_EQ(wait_factor(0, 7 * kDay), 0);
  EXPECT_DOUBLE_EQ(wait_factor(kDay, 7 * kDay), 1.0 / 7);
  EXPECT_EQ(wait_factor(70 * kDay, 7 * kDay), 1);
  EXPECT_EQ(wait_factor(-5, 7 * kDay), 0);
}

TEST(UserFactor, OnlyLowersWhatUsersMayAskFor) {  // PRIO.16
  EXPECT_DOUBLE_EQ(user_factor(16), 16.0 / 30);
  for (std::uint8_t urgency = 1; urgency < 16; ++urgency) EXPECT_LT(user_factor(urgency), user_factor(16));
  EXPECT_EQ(user_factor(30), 1);
}

TEST(SizeFactor, FavoursLargeOrSmallByNodes) {  // PRIO.15
  const Machine machine{10, 8, 2};
  EXPECT_DOUBLE_EQ(size_factor({4, 4, 1, 1, 0, false}, machine, Favor::large), 0.4);
  EXPECT_DOUBLE_EQ(size_factor({4, 4, 1, 1, 0, false}, machine, Favor::small), 0.6);
  // Slots alone count as the fewest nodes for their cores, or their GPUs.
  EXPECT_DOUBLE_EQ(size_factor({0, 17, 0, 1, 0, false}, machine, Favor::large), 0.3);
  EXPECT_DOUBLE_EQ(size_factor({0, 4, 0, 1, 1, false}, machine, Favor::large), 0.2);
  EXPECT_EQ(size_factor({100, 100, 1, 1, 0, false}, machine, Favor::large), 1);
  EXPECT_EQ(size_factor({1, 1, 1, 1, 0, false}, Machine{}, Favor::large), 0);
}

TEST(Fcfs, GivesTheFirstVeryMuchAndEachNextOneLess) {  // PRIO.2
  EXPECT_EQ(fcfs_priority(0), 4294967294U);
  for (std::uint64_t number = 1; number < 100; ++number)
    EXPECT_EQ(fcfs_priority(number), fcfs_priority(number - 1) - 1);
  EXPECT_EQ(fcfs_priority(std::uint64_t{1} << 40), kLeast);
}

TEST(None, IsTheUrgencyAndLessForStandby) {
  EXPECT_EQ(urgency_priority(16, ""), 16U);
  EXPECT_EQ(urgency_priority(1, ""), 2U);
  EXPECT_EQ(urgency_priority(30, "standby"), 1U);
}

// Facts as they are written down here.
struct FixedFacts final : Facts {
  Parameters of_queue;
  int asked_for_shares = 0;

  const Parameters& parameters(std::string_view) override { return of_queue; }
  double qos_factor(std::string_view qos) override {
    return qos == kExpedite ? 1 : qos == kStandby ? 0 : 0.5;
  }
  double fair_share(std::uint32_t userid, std::string_view) override {
    ++asked_for_shares;
    return userid == 1000 ? 0.25 : 0.75;
  }
  const Machine& machine() override {
    static const Machine kMachine{4, 8, 0};
    return kMachine;
  }
};

TEST(Evaluator, MakesAPriorityOfWhatTheFactorsAreNow) {  // PRIO.4
  FixedFacts facts;
  facts.of_queue.scheme = Scheme::multifactor;
  facts.of_queue.weights = {1000, 100000, 10000, 10000, 4000, 3000};
  const document::ResourceCounts counts{2, 2, 1, 1, 0, false};
  Evaluator evaluator(facts, kNow);
  const Subject subject{"batch", "physics", "expedite", 1000, 15, &counts, kNow - 3.5 * kDay, 0};
  const Explanation explained = evaluator.explain(subject);
  EXPECT_EQ(explained.factors, (Factors{0.5, 0.25, 1, 0.5, 0.5, 0.5}));
  EXPECT_EQ(explained.points, (Factors{500, 25000, 10000, 5000, 2000, 1500}));
  EXPECT_EQ(explained.priority, 44000U);
  for (const FactorName& each : kFactorNames) {  // PRIO.5
    EXPECT_GE(explained.factors.*each.member, 0);
    EXPECT_LE(explained.factors.*each.member, 1);
  }
}

TEST(Evaluator, LooksUpNoSharesThatWeighNothing) {
  FixedFacts facts;
  facts.of_queue.scheme = Scheme::multifactor;
  facts.of_queue.weights.fair_share = 0;
  EXPECT_GT(Evaluator(facts, kNow).priority({"", "", "", 1, 16, nullptr, kNow, 0}), 0U);
  EXPECT_EQ(facts.asked_for_shares, 0);
}

TEST(Evaluator, UrgencyHoldsAndExpeditesWhateverTheScheme) {
  for (const Scheme scheme : {Scheme::none, Scheme::fcfs, Scheme::multifactor}) {
    FixedFacts facts;
    facts.of_queue.scheme = scheme;
    Evaluator evaluator(facts, kNow);
    EXPECT_EQ(evaluator.priority({"", "", "standby", 1, 0, nullptr, kNow, 7}), 0U) << name_of(scheme);
    EXPECT_EQ(evaluator.priority({"", "", "standby", 1, 31, nullptr, kNow, 7}), 4294967295U)
        << name_of(scheme);
    const std::uint32_t other = evaluator.priority({"", "", "standby", 1, 1, nullptr, kNow, 7});
    EXPECT_GE(other, kLeast);
    EXPECT_LE(other, kMost);
  }
}

TEST(Evaluator, FcfsLooksAtNothingButTheOrderOfSubmission) {  // PRIO.2
  FixedFacts facts;
  facts.of_queue.scheme = Scheme::fcfs;
  Evaluator evaluator(facts, kNow);
  EXPECT_EQ(evaluator.priority({"", "", "standby", 1, 1, nullptr, kNow, 5}), kMost - 5);
  EXPECT_EQ(evaluator.priority({"", "", "expedite", 1, 30, nullptr, kNow, 6}), kMost - 6);
}

nlohmann::json table(std::string_view text) {
  return parse_json(text, "test");
}

std::string refusal(std::string_view text) {
  try {
    static_cast<void>(read_parameters(table(text)));
  } catch (const Error& failure) {
    return failure.hint().empty() ? failure.what() : fmt::format("{} ({})", failure.what(), failure.hint());
  }
  return "";
}

TEST(Parameters, HaveDefaults) {  // PRIO.29
  const Parameters parameters = read_parameters(table(R"({"scheme":"multifactor"})"));
  EXPECT_EQ(parameters.scheme, Scheme::multifactor);
  EXPECT_EQ(parameters.weights, (Factors{1000, 100000, 10000, 10000, 0, 1000}));
  EXPECT_EQ(parameters.max_wait_s, 7 * kDay);
  EXPECT_EQ(read_parameters(table("{}")), Parameters{});
}

TEST(Parameters, AreReadByTheirNames) {  // PRIO.6, PRIO.14, PRIO.29
  const Parameters parameters = read_parameters(table(
      R"({"scheme":"multifactor","weights":{"wait-time":1,"fair-share":2,"qos":3,"queue":4,"job-size":5,"user":6},
          "max-wait":"1d","age-from":"eligible","favor":"small","queue-factor":0.8,"period":"5m"})"));
  EXPECT_EQ(parameters.weights, (Factors{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(parameters.max_wait_s, kDay);
  EXPECT_EQ(parameters.age_from, AgeFrom::eligible);
  EXPECT_EQ(parameters.favor, Favor::small);
  EXPECT_EQ(parameters.queue_factor, 0.8);
  EXPECT_EQ(parameters.period_s, 300);
}

TEST(Parameters, SayWhatIsWrong) {
  EXPECT_EQ(
      refusal(R"({"scheme":"multifaktor"})"),
      "there is no priority scheme 'multifaktor': expected one of none, fcfs, multifactor (did you mean "
      "'multifactor'?)");
  EXPECT_EQ(
      refusal(R"({"weights":{"fairshair":1}})"),
      "weights: there is no factor 'fairshair': expected one of wait-time, fair-share, qos, queue, job-size, "
      "user (did you mean 'fair-share'?)");
  EXPECT_EQ(refusal(R"({"weights":{"qos":-1}})"),
            "weights.qos: expected a number from 0 to 4294967294, got -1");
  EXPECT_EQ(refusal(R"({"weights":{"qos":4e9,"user":1e9}})"),
            "weights: the weights add up to 5000111000, a priority is at most 4294967294");
  EXPECT_EQ(refusal(R"({"weights":{"qos":"much"}})"), "weights.qos: expected a number, got a string");
  EXPECT_EQ(refusal(R"({"max-wait":"0s"})"), "max-wait: expected a duration of more than 0");
  EXPECT_EQ(refusal(R"({"queue-factor":1.5})"), "queue-factor: expected a number from 0 to 1, got 1.5");
  EXPECT_EQ(refusal(R"({"age-from":"birth"})"),
            "there is no start of a wait 'birth': expected one of submit, eligible");
  EXPECT_EQ(refusal(R"({"wieghts":{}})"), "unknown key 'wieghts' (did you mean 'weights'?)");
}

TEST(FactorNamed, PassesOverHyphens) {
  EXPECT_EQ(factor_named("fairshare").name, "fair-share");
  EXPECT_EQ(factor_named("wait_time").name, "wait-time");
}

}  // namespace
}  // namespace fq::priority
