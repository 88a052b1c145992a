// A scheduler behind a channel: every way to break a rule, and what is said of it then.

#include <gtest/gtest.h>

#include "sched/external_fixture.h"
#include "sched/protocol.h"

namespace fq::sched {
namespace {

using test::alloc_answer;
using test::FakeChannel;
using test::granted;
using test::Host;
using test::kHandshake;
using test::nodes;
using test::parts;
using test::slots;

class ExternalFaults : public test::ExternalTest {
 protected:
  bool drained_ = false;
};

TEST_F(ExternalFaults, R27_5_WhatComesBeforeHelloIsAFault) {
  script.says = {kHandshake[2]};
  EXPECT_EQ(fault([&] { scheduler.hello(host, test::kNow); }),
            "'job-manager.sched-ready' was not to come first");
}

TEST_F(ExternalFaults, R27_4_R27_43_ErrorsOfTheProtocolAreFatal) {
  greet();
  EXPECT_EQ(answered_with(R"({"topic":"sched.alloc","errnum":38,"errstr":"no"})"),
            "sched.alloc: error 38 no");
}

TEST_F(ExternalFaults, AGrantIsChecked) {
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

TEST_F(ExternalFaults, WhatAFaultyCallGrantedIsNotTaken) {
  greet();
  script.says = {alloc_answer(R"({"id":2,"type":1,"annotations":{}})")};
  static_cast<void>(scheduler.alloc(request(2)));
  script.says = {granted(2, parts("1:0")), granted(1, parts("1:0"))};
  EXPECT_NE(fault([&] { static_cast<void>(scheduler.alloc(request(1))); }), "");
  EXPECT_EQ(host.pool().allocated().summary(), "rank0/core0");
}

TEST_F(ExternalFaults, AnEstimateIsATimeAndAReasonIsText) {
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

TEST_F(ExternalFaults, GarbageIsAFault) {
  greet();
  script.complaint = "Traceback\x1b";
  const std::string garbage = answered_with("Segmentation fault");
  EXPECT_EQ(garbage.find("'Segmentation fault': message: "), 0U) << garbage;
  EXPECT_NE(garbage.find(R"( (it says: Traceback\x1b))"), std::string::npos) << garbage;
  script.complaint.clear();
}

TEST_F(ExternalFaults, AWrongIdIsAFault) {
  greet();
  EXPECT_EQ(answered_with(granted(3, parts("1:0"))), "sched.alloc: job 3 waits for no answer");
}

TEST_F(ExternalFaults, AnAnswerToNothingIsAFault) {
  greet();
  EXPECT_EQ(answered_with(R"({"topic":"sched.free","payload":{"id":1}})"),
            "'sched.free' answers nothing that was asked");
}

TEST_F(ExternalFaults, R27_44_ItsEndIsAFault) {
  greet();
  script.says.clear();
  script.ended = "it exited with 3";
  EXPECT_EQ(fault([&] { static_cast<void>(scheduler.alloc(request(1))); }),
            "it exited with 3 before it had answered sched.alloc");
}

TEST_F(ExternalFaults, SilenceIsItsDeath) {
  greet();
  EXPECT_EQ(fault([&] { static_cast<void>(scheduler.alloc(request(1))); }), "it says nothing for 1 s");
}

TEST_F(ExternalFaults, FloodsAreBounded) {
  greet();
  script.says.assign(External::kMostLines + 1,
                     R"({"topic":"sched.alloc","payload":{"id":2,"type":1,"annotations":{}}})");
  script.says[0] = alloc_answer(R"({"id":2,"type":1,"annotations":{}})");
  static_cast<void>(scheduler.alloc(request(2)));
  EXPECT_EQ(fault([&] { static_cast<void>(scheduler.alloc(request(1))); }).find("it says nothing"), 0U);
  script.says.assign(External::kMostLines + 1, alloc_answer(R"({"id":2,"type":1,"annotations":{}})"));
  EXPECT_EQ(fault([&] { static_cast<void>(scheduler.cancel({2})); }), "it says more than it is asked");
}

}  // namespace
}  // namespace fq::sched
