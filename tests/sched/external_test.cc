// A scheduler behind a channel: what is said to it, and what its answers do.

#include <gtest/gtest.h>

#include "sched/external_fixture.h"
#include "sched/protocol.h"

namespace fq::sched {
namespace {

using notation::JobId;
using test::alloc_answer;
using test::FakeChannel;
using test::granted;
using test::Host;
using test::kHandshake;
using test::parts;
using test::Script;
using test::slots;

using test::ExternalTest;

TEST_F(ExternalTest, R27_5_R27_6_R27_8_R27_12_TheHandshakeTellsInventoryJobsTheEndOfThemAndTheDepth) {
  script.says.assign(kHandshake.begin(), kHandshake.end());
  host.pool().set_down(notation::Idset::from_range(1, 1));
  scheduler.hello(host, test::kNow);
  ASSERT_EQ(script.sent.size(), 4U);
  EXPECT_EQ(
      script.sent[0],
      R"({"payload":{"resources":{"execution":{"R_lite":[{"children":{"core":"0-3"},"rank":"0-1"}],)"
      R"("expiration":0.0,"nodelist":["node0","node1"],"starttime":0.0},"version":1},"up":"0"},"topic":"resource.acquire"})");
  EXPECT_EQ(script.sent[1].find(R"({"payload":{"R":{"execution")"), 0U);
  EXPECT_NE(script.sent[1].find(R"("id":7,"priority":16,"t_submit":12.5,"userid":1000)"), std::string::npos);
  EXPECT_EQ(script.sent[2], R"({"errnum":61,"topic":"job-manager.sched-hello"})");
  EXPECT_EQ(script.sent[3], R"({"payload":{"count":5},"topic":"job-manager.sched-ready"})");
  EXPECT_EQ(scheduler.ready(), Ready{});
}

TEST_F(ExternalTest, R27_10_R27_11_ReadyHasAModeAndALimitWithinBounds) {
  const std::string ready = R"({"topic":"job-manager.sched-ready","payload":)";
  const auto said = [&](const std::string& payload) {
    External another{std::make_unique<FakeChannel>(script), {.queue_depth = 0, .most = 9}};
    script.says = {kHandshake[1], ready + payload + "}"};
    const std::string failure = fault([&] { another.hello(host, test::kNow); });
    return failure.empty() ? fmt::format("{}", another.ready().limit) : failure;
  };
  EXPECT_EQ(said(R"({"mode":"limited","limit":4})"), "4");
  EXPECT_EQ(said(R"({"mode":"limited","limit":2147483647})"), "9");
  EXPECT_EQ(said(R"({"mode":"unlimited"})"), "9");
  EXPECT_NE(said(R"({"mode":"limited","limit":0})").find("payload.limit"), std::string::npos);
  EXPECT_NE(said(R"({"mode":"limited"})").find("missing key 'limit'"), std::string::npos);
  EXPECT_NE(said(R"({"mode":"single"})").find("expected 'unlimited' or 'limited'"), std::string::npos);
}

TEST_F(ExternalTest, R27_15_R27_17_R27_18_R27_19_AnAllocRequestIsAnsweredWithR) {
  greet();
  script.says = {alloc_answer(R"({"id":1,"type":1,"annotations":{"sched":{"x":null}}})")};
  EXPECT_EQ(scheduler.alloc(request(1)).at(0).annotations, R"({"sched":{"x":null}})");
  ASSERT_EQ(script.sent.size(), 1U);
  EXPECT_NE(script.sent[0].find(R"("topic":"sched.alloc")"), std::string::npos);
  EXPECT_EQ(script.sent[0].find("environment"), std::string::npos);
  // A later answer grants the first as well.
  script.says = {granted(1, parts("0:1")), granted(2, parts("1:0"))};
  const auto replies = scheduler.alloc(request(2));
  ASSERT_EQ(replies.size(), 2U);
  EXPECT_EQ(replies[0].R->summary(), "rank0/core1");
  EXPECT_EQ(replies[0].R->nslots, 1U);
  EXPECT_EQ(replies[0].R->starttime, test::kNow);
  EXPECT_EQ(host.pool().allocated().summary(), "rank0/core[0-1] rank1/core0");
}

TEST_F(ExternalTest, R27_13_AllocIsSentOnlyAfterReadyWasAnswered) {
  script.says.assign(kHandshake.begin(), kHandshake.end());
  scheduler.hello(host, test::kNow);
  script.says = {alloc_answer(R"({"id":1,"type":2})")};
  static_cast<void>(scheduler.alloc(request(1)));
  script.says = {R"({"topic":"sched.free","payload":{"id":7}})"};
  static_cast<void>(scheduler.free({7}, parts("0:0"), true));
  std::string topics;
  for (const std::string& line : script.sent) topics += parse_message(line).topic + " ";
  EXPECT_EQ(
      topics,
      "resource.acquire job-manager.sched-hello job-manager.sched-hello job-manager.sched-ready sched.alloc "
      "sched.free ");
}

TEST_F(ExternalTest, R27_1_RequestsAndAnswersOfAllocAndFreeCarryTheId) {
  greet();
  script.says = {granted(1, parts("0:1"))};
  EXPECT_EQ(scheduler.alloc(request(1)).at(0).id, JobId{1});
  EXPECT_NE(script.sent.back().find(R"("id":1,)"), std::string::npos);
  script.says = {R"({"topic":"sched.free","payload":{"id":1}})"};
  static_cast<void>(scheduler.free({1}, parts("0:1"), true));
  EXPECT_EQ(script.sent.back().find(R"({"payload":{"R":{)"), 0U) << script.sent.back();
  EXPECT_NE(script.sent.back().find(R"("id":1)"), std::string::npos);
  // Without it, or with another one, an answer is a fault.
  EXPECT_NE(answered_with(alloc_answer(R"({"type":2})")), "");
  EXPECT_NE(answered_with(alloc_answer(R"({"id":9,"type":2})")), "");
}

TEST_F(ExternalTest, R27_3_AFailedAllocIsAnAnswerAndNoError) {
  greet();
  EXPECT_EQ(answered_with(alloc_answer(R"({"id":1,"type":2,"note":"never"})")), "");
  // The scheduler goes on.
  script.says = {granted(2, parts("0:1"))};
  EXPECT_EQ(scheduler.alloc(request(2)).at(0).type, AllocType::success);
}

TEST_F(ExternalTest, R27_32_SuccessDenyAndCancelEndARequest) {
  // What is answered once more answers nothing.
  const std::string annotate = alloc_answer(R"({"id":1,"type":1,"annotations":{}})");
  const std::string ends[] = {granted(1, parts("0:1")), alloc_answer(R"({"id":1,"type":2})"),
                              alloc_answer(R"({"id":1,"type":3})")};
  for (const std::string& end : ends) {
    Host fresh;
    Script lines;
    External served{std::make_unique<FakeChannel>(lines), {.queue_depth = 5, .most = std::nullopt}};
    lines.says.assign(kHandshake.begin(), kHandshake.end());
    served.hello(fresh, test::kNow);
    lines.says = {annotate};
    static_cast<void>(served.alloc(request(1)));
    lines.says = {end};
    if (end == ends[2]) {
      static_cast<void>(served.cancel({1}));
    } else {
      lines.says.push_back(granted(2, parts("0:2")));
      static_cast<void>(served.alloc(request(2)));
    }
    lines.says = {annotate};
    EXPECT_EQ(fault([&] { static_cast<void>(served.alloc(request(3))); }),
              "sched.alloc: job 1 waits for no answer");
  }
}

TEST_F(ExternalTest, R27_30_R27_31_R27_33_R27_34_DenyAndCancelEndARequest) {
  greet();
  script.says = {alloc_answer(R"({"id":1,"type":2,"note":"never"})")};
  EXPECT_EQ(scheduler.alloc(request(1)).at(0).note, "never");
  script.sent.clear();
  EXPECT_TRUE(scheduler.cancel({1}).empty());
  EXPECT_TRUE(script.sent.empty());
  script.says = {alloc_answer(R"({"id":2,"type":1,"annotations":{}})"), alloc_answer(R"({"id":2,"type":3})")};
  static_cast<void>(scheduler.alloc(request(2)));
  EXPECT_EQ(scheduler.cancel({2}).at(0).type, AllocType::cancel);
  EXPECT_EQ(script.sent.back(), R"({"payload":{"id":2},"topic":"sched.cancel"})");
}

TEST_F(ExternalTest, R27_36_R27_37_R27_38_R27_40_R27_42_TheOtherRequests) {
  greet();
  script.says = {alloc_answer(R"({"id":1,"type":1,"annotations":{}})")};
  static_cast<void>(scheduler.alloc(request(1)));
  script.sent.clear();
  const std::vector<std::pair<JobId, std::uint32_t>> changed{{{1}, 9}, {{5}, 3}};
  EXPECT_TRUE(scheduler.prioritize(changed).empty());
  EXPECT_EQ(script.sent.back(), R"({"payload":{"jobs":[[1,9]]},"topic":"sched.prioritize"})");
  using Status = ExpirationReply::Status;
  script.says = {R"({"topic":"sched.expiration","errnum":38})"};
  EXPECT_EQ(scheduler.expiration({7}, 99.0).status, Status::not_implemented);
  EXPECT_EQ(script.sent.back(), R"({"payload":{"expiration":99,"id":7},"topic":"sched.expiration"})");
  script.says = {R"({"topic":"sched.expiration","payload":{}})"};
  EXPECT_EQ(scheduler.expiration({7}, 99.0).status, Status::accepted);
  script.says = {R"({"topic":"sched.expiration","errnum":22,"errstr":"reserved"})"};
  EXPECT_EQ(scheduler.expiration({7}, 99.0), (ExpirationReply{Status::refused, "reserved"}));
  script.says = {R"({"topic":"sched.free","payload":{"id":7}})"};
  EXPECT_TRUE(scheduler.free({7}, parts("0:0"), true).empty());
  EXPECT_TRUE(host.pool().allocated().empty());
}

TEST_F(ExternalTest, WhatAnotherQueueTookMeanwhileIsDroppedWithoutBlame) {
  greet();
  host.pool().allocate(parts("1:0"));
  script.says = {granted(1, parts("1:0"))};
  const auto replies = scheduler.alloc(request(1));
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(replies[0].type, AllocType::annotate);
  EXPECT_EQ(
      replies[0].annotations,
      R"({"sched":{"reason_pending":"what its scheduler chose is reserved, or another queue has it","t_estimate":null}})");
  EXPECT_EQ(host.pool().allocated().summary(), "rank[0-1]/core0");
}

TEST_F(ExternalTest, WhatIsDroppedIsGivenBackBeforeTheNextRequestAndCanBeGrantedAgain) {
  greet();
  host.pool().allocate(parts("1:0"));
  script.says = {granted(1, parts("1:0"))};
  static_cast<void>(scheduler.alloc(request(1)));
  host.pool().release(parts("1:0"));
  script.sent.clear();
  script.says = {R"({"topic":"sched.free","payload":{"id":1}})", granted(2, parts("1:0"))};
  EXPECT_EQ(scheduler.alloc(request(2)).at(0).R->summary(), "rank1/core0");
  ASSERT_EQ(script.sent.size(), 2U);
  EXPECT_EQ(script.sent[0].find(R"({"payload":{"R":{"execution")"), 0U) << script.sent[0];
  EXPECT_EQ(parse_message(script.sent[0]).topic, topic::kFree);
  EXPECT_EQ(parse_message(script.sent[1]).topic, topic::kAlloc);
}

TEST_F(ExternalTest, WhatComesAfterTheEndOfInputIsTaken) {
  greet();
  script.says = {alloc_answer(R"({"id":1,"type":1,"annotations":{}})")};
  static_cast<void>(scheduler.alloc(request(1)));
  script.says = {granted(1, parts("1:3"))};
  EXPECT_EQ(scheduler.finish().at(0).R->summary(), "rank1/core3");
  EXPECT_TRUE(script.closed);
}

TEST_F(ExternalTest, AConstraintIsToldAsRanks) {
  greet();
  script.says = {granted(1, parts("1:0"))};
  EXPECT_EQ(answered_with(granted(1, parts("1:0")),
                          test::with_constraint(slots(1), R"({"not":[{"hostlist":["node0"]}]})")),
            "");
  EXPECT_NE(script.sent.back().find(R"("constraints":{"ranks":["1"]})"), std::string::npos);
}

}  // namespace
}  // namespace fq::sched
