// A scheduler behind a channel: what is said to it, what it may answer, and every way to break a rule.

#include "sched/external.h"

#include <deque>

#include <gtest/gtest.h>

#include "base/error.h"
#include "sched/protocol.h"
#include "sched/support.h"

namespace fq::sched {
namespace {

using notation::JobId;
using test::FakeManager;
using test::nodes;
using test::parts;
using test::slots;

constexpr const char* kJobspec =
    R"({"version":1,"resources":[{"type":"slot","count":1,"label":"task","with":[{"type":"core","count":1}]}],)"
    R"("tasks":[{"command":["true"],"slot":"task","count":{"per_slot":1}}],)"
    R"("attributes":{"system":{"duration":0,"environment":{"A":"b"}}}})";

// Says its lines in order.
struct Script {
  std::deque<std::string> says;
  std::vector<std::string> sent;
  bool closed = false;
  std::string ended, complaint;
};

class FakeChannel final : public Channel {
 public:
  explicit FakeChannel(Script& script) : script_(script) {}
  void send_line(std::string_view line) override { script_.sent.emplace_back(line); }
  std::optional<std::string> receive_line(double silence_s) override {
    if (script_.says.empty()) {
      if (script_.closed || !script_.ended.empty()) return std::nullopt;
      throw error(Kind::timeout, "it says nothing for {} s", silence_s);
    }
    std::string line = script_.says.front();
    script_.says.pop_front();
    return line;
  }
  void close_input() override { script_.closed = true; }
  std::string how_it_ended(double) override { return script_.ended; }
  std::string last_complaint() override { return script_.complaint; }

 private:
  Script& script_;
};

// Two nodes of four cores; job 7 holds a core of the first.
class Host final : public JobManager {
 public:
  Host() : fake({{4, 0}, {4, 0}}) { fake.runs(7, parts("0:0"), 0); }
  Pool& pool() override { return fake.pool(); }
  Timeline& timeline() override { return fake.timeline(); }
  void for_each_job(const std::function<void(const HelloJob&)>& visit) const override {
    visit({{7}, 16, 1000, 12.5, parts("0:0")});
  }
  std::string jobspec(JobId) const override { return kJobspec; }

  FakeManager fake;
};

const std::vector<std::string> kHandshake{
    R"({"topic":"resource.acquire"})", R"({"topic":"job-manager.sched-hello","payload":{}})",
    R"({"topic":"job-manager.sched-ready","payload":{"mode":"unlimited"}})"};

std::string alloc_answer(const std::string& payload) {
  return R"({"topic":"sched.alloc","payload":)" + payload + "}";
}
std::string granted(std::uint64_t id, const document::ResourceSet& r) {
  return alloc_answer(fmt::format(R"({{"id":{},"type":0,"R":{}}})", id, r.encode()));
}

class ExternalTest : public testing::Test {
 protected:
  void greet(std::vector<std::string> lines = kHandshake) {
    script.says.assign(lines.begin(), lines.end());
    scheduler.hello(host, test::kNow);
    script.sent.clear();
  }
  AllocRequest request(std::uint64_t id, AllocRequest shape = slots(1)) {
    shape.id = {id};
    return shape;
  }
  // What a call throws; empty where it does not.
  template <typename Call>
  std::string fault(const Call& call) {
    try {
      call();
    } catch (const Error& failure) {
      return failure.what();
    }
    return {};
  }
  std::string answered_with(const std::string& line, AllocRequest asked = slots(1)) {
    script.says = {line};
    return fault([&] { static_cast<void>(scheduler.alloc(request(1, std::move(asked)))); });
  }

  bool drained_ = false;
  Host host;
  Script script;
  External scheduler{std::make_unique<FakeChannel>(script), {.queue_depth = 5, .most = std::nullopt}};
};

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

TEST_F(ExternalTest, R27_5_WhatComesBeforeHelloIsAFault) {
  script.says = {kHandshake[2]};
  EXPECT_EQ(fault([&] { scheduler.hello(host, test::kNow); }),
            "'job-manager.sched-ready' was not to come first");
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

TEST_F(ExternalTest, R27_4_R27_43_ErrorsOfTheProtocolAreFatal) {
  greet();
  EXPECT_EQ(answered_with(R"({"topic":"sched.alloc","errnum":38,"errstr":"no"})"),
            "sched.alloc: error 38 no");
}

TEST_F(ExternalTest, AGrantIsChecked) {
  greet();
  const auto why = [&](const document::ResourceSet& r, AllocRequest asked) {
    Host another;
    another.pool().set_drained(notation::Idset::from_range(1, 1), drained_);
    External checked{std::make_unique<FakeChannel>(script), {}};
    script.says.assign(kHandshake.begin(), kHandshake.end());
    checked.hello(another, test::kNow);
    script.says = {granted(1, r)};
    asked.id = {1};
    const std::string failure = fault([&] { static_cast<void>(checked.alloc(asked)); });
    EXPECT_EQ(another.pool().allocated().summary(), "rank0/core0") << failure;
    return failure.substr(failure.find("R: "));
  };
  EXPECT_EQ(why(parts("0:0"), slots(1)), "R: rank0/core0 is taken, in part at least");
  EXPECT_EQ(why(parts("2:0"), slots(1)), "R: rank 2 is not in the inventory");
  EXPECT_EQ(why(parts("1:9"), slots(1)), "R: rank 1 has cores 0-3, not 9");
  EXPECT_EQ(why(parts("1:0:0"), slots(1)), "R: rank 1 has gpus , not 0");
  EXPECT_EQ(why(parts("1:0-1"), slots(1)), "R: 2 slots, and the job asks for 1");
  EXPECT_EQ(why(parts("1:0-2"), slots(1, 2)),
            "R: rank 1 gives 3 cores and 0 gpus, no whole number of slots of 2 and 0");
  EXPECT_EQ(why(parts("1:0"), nodes(2)), "R: 1 nodes, and the job asks for 2");
  EXPECT_EQ(why(parts("1:0-1"), nodes(1)),
            "R: rank 1 gives 2 cores and 0 gpus, and the job asks for 1 and 0 a node");
  EXPECT_EQ(why(parts("1:0-2"), nodes(1, 1, 1, 0, true)),
            "R: rank 1 is not given whole, and the job asks for whole nodes");
  EXPECT_EQ(why(parts("1:0"), test::with_constraint(slots(1), R"({"hostlist":["node0"]})")),
            "R: rank 1 does not meet the constraint of the job");
  document::ResourceSet elsewhere;
  elsewhere.add({1, "other", test::ids(1), {}});
  EXPECT_EQ(why(elsewhere, slots(1)), "R: rank 1 is node1, not other");
  drained_ = true;
  EXPECT_EQ(why(parts("1:0"), slots(1)), "R: rank 1 is down or drained");
}

TEST_F(ExternalTest, WhatAFaultyCallGrantedIsNotTaken) {
  greet();
  script.says = {alloc_answer(R"({"id":2,"type":1,"annotations":{}})")};
  static_cast<void>(scheduler.alloc(request(2)));
  script.says = {granted(2, parts("1:0")), granted(1, parts("1:0"))};
  EXPECT_NE(fault([&] { static_cast<void>(scheduler.alloc(request(1))); }), "");
  EXPECT_EQ(host.pool().allocated().summary(), "rank0/core0");
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

TEST_F(ExternalTest, AnEstimateIsATimeAndAReasonIsText) {
  greet();
  const auto said = [&](std::uint64_t id, const std::string& sched) {
    script.says = {
        alloc_answer(fmt::format(R"({{"id":{},"type":1,"annotations":{{"sched":{}}}}})", id, sched))};
    return fault([&] { static_cast<void>(scheduler.alloc(request(id))); });
  };
  EXPECT_EQ(said(1, R"({"t_estimate":1700000000.5,"reason_pending":"busy","x":[1]})"), "");
  EXPECT_EQ(said(2, R"({"t_estimate":null,"reason_pending":null})"), "");
  EXPECT_EQ(said(3, R"({"t_estimate":-1e30})"),
            "sched.alloc: payload.annotations.sched.t_estimate: expected seconds since the epoch");
  EXPECT_EQ(said(4, R"({"t_estimate":1e30})"),
            "sched.alloc: payload.annotations.sched.t_estimate: expected seconds since the epoch");
  EXPECT_EQ(said(5, R"({"t_estimate":"soon"})"),
            "sched.alloc: payload.annotations.sched.t_estimate: expected a number, got a string");
  EXPECT_EQ(said(6, R"({"reason_pending":3})"),
            "sched.alloc: payload.annotations.sched.reason_pending: expected a string, got an integer");
}

TEST_F(ExternalTest, GarbageSilenceAndWrongIdsAreFaults) {
  greet();
  script.complaint = "Traceback\x1b";
  const std::string garbage = answered_with("Segmentation fault");
  EXPECT_EQ(garbage.find("'Segmentation fault': message: "), 0U) << garbage;
  EXPECT_NE(garbage.find(R"( (it says: Traceback\x1b))"), std::string::npos) << garbage;
  script.complaint.clear();
}

TEST_F(ExternalTest, AWrongIdIsAFault) {
  greet();
  EXPECT_EQ(answered_with(granted(3, parts("1:0"))), "sched.alloc: job 3 waits for no answer");
}

TEST_F(ExternalTest, AnAnswerToNothingIsAFault) {
  greet();
  EXPECT_EQ(answered_with(R"({"topic":"sched.free","payload":{"id":1}})"),
            "'sched.free' answers nothing that was asked");
}

TEST_F(ExternalTest, R27_44_ItsEndIsAFault) {
  greet();
  script.says.clear();
  script.ended = "it exited with 3";
  EXPECT_EQ(fault([&] { static_cast<void>(scheduler.alloc(request(1))); }),
            "it exited with 3 before it had answered sched.alloc");
}

TEST_F(ExternalTest, SilenceIsItsDeath) {
  greet();
  EXPECT_EQ(fault([&] { static_cast<void>(scheduler.alloc(request(1))); }), "it says nothing for 1 s");
}

TEST_F(ExternalTest, FloodsAreBounded) {
  greet();
  script.says.assign(External::kMostLines + 1,
                     R"({"topic":"sched.alloc","payload":{"id":2,"type":1,"annotations":{}}})");
  script.says[0] = alloc_answer(R"({"id":2,"type":1,"annotations":{}})");
  static_cast<void>(scheduler.alloc(request(2)));
  EXPECT_EQ(fault([&] { static_cast<void>(scheduler.alloc(request(1))); }).find("it says nothing"), 0U);
  script.says.assign(External::kMostLines + 1, alloc_answer(R"({"id":2,"type":1,"annotations":{}})"));
  EXPECT_EQ(fault([&] { static_cast<void>(scheduler.cancel({2})); }), "it says more than it is asked");
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
