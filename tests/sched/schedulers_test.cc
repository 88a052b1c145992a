// The built-in schedulers where they are alike, as fcfs shows it.

#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "sched/annotations.h"
#include "sched/backfill.h"
#include "sched/factory.h"
#include "sched/support.h"

namespace fq::sched {
namespace {

using document::ResourceSet;
using notation::JobId;
using test::FakeManager;
using test::kNow;
using test::nodes;
using test::parts;
using test::slots;

AllocRequest job(std::uint64_t id, AllocRequest request, std::uint32_t priority = 16, double t_submit = 1) {
  request.id = {id};
  request.priority = priority;
  request.t_submit = t_submit;
  return request;
}

std::string show(const std::vector<AllocReply>& replies) {
  std::string text;
  for (const AllocReply& reply : replies) {
    if (!text.empty()) text += "; ";
    text += fmt::format("{} {}", reply.id.value, static_cast<int>(reply.type));
    if (!reply.annotations.empty()) text += " " + reply.annotations;
    if (!reply.note.empty()) text += " note " + reply.note;
    if (reply.R) text += " R " + reply.R->summary();
    if (reply.passed_over) text += " passed over";
  }
  return text;
}

std::string given(std::uint64_t id, const std::string& r) {
  return fmt::format(
      R"({} 0 {{"sched":{{"reason_pending":null,"resource_summary":"{}","t_estimate":null}}}} R {})", id, r,
      r);
}

std::string waits(std::uint64_t id, const std::string& reason) {
  return fmt::format(R"({} 1 {{"sched":{{"reason_pending":"{}","t_estimate":null}}}})", id, reason);
}

TEST(Fcfs, R27_7_what_is_allocated_at_hello_is_not_given_again) {
  // The scheduler starts from the pool as it is; what it gives is taken from it at once, for others to see.
  FakeManager manager({{4, 0}});
  manager.pool().allocate(parts("0:0-2"));
  const auto fcfs = test::scheduler("fcfs");
  fcfs->hello(manager, kNow);
  EXPECT_EQ(show(fcfs->alloc(job(1, slots(1)))), given(1, "rank0/core3"));
  EXPECT_EQ(manager.pool().taken().cores, 4u);
}

TEST(Fcfs, takes_one_request_at_a_time) {
  // Mode limited, within 1..2147483647.
  const auto fcfs = test::scheduler("fcfs");
  EXPECT_EQ(fcfs->ready(), (Ready{Ready::Mode::limited, 1}));
}

TEST(Fcfs, success_has_R_and_annotations) {
  // SUCCESS carries R for the pass's time, and the annotation that summarises it.
  FakeManager manager({{4, 0}, {4, 0}});
  const auto fcfs = test::scheduler("fcfs");
  fcfs->hello(manager, kNow);
  AllocRequest request = job(7, nodes(2, 2, 2));
  request.duration = 60;
  const auto replies = fcfs->alloc(request);
  EXPECT_EQ(show(replies), given(7, "rank[0-1]/core[0-3]"));
  EXPECT_EQ(replies[0].R->starttime, kNow);
  EXPECT_EQ(replies[0].R->expiration, kNow + 60);
  EXPECT_EQ(replies[0].R->nslots, 4u);
  EXPECT_EQ(merge_annotations("", replies[0].annotations),
            R"({"sched":{"resource_summary":"rank[0-1]/core[0-3]"}})");
}

TEST(Fcfs, R27_22_a_request_that_must_wait_is_annotated_and_blocks) {
  // Not now is ANNOTATE; the request stays outstanding and nothing behind it is served, though it would fit.
  FakeManager manager({{4, 0}});
  manager.pool().allocate(parts("0:0-2"));
  const auto fcfs = test::scheduler("fcfs");
  fcfs->hello(manager, kNow);
  EXPECT_EQ(show(fcfs->alloc(job(1, slots(2)))), waits(1, "2 cores requested, 1 free"));
  EXPECT_EQ(show(fcfs->alloc(job(2, slots(1)))), "");
  EXPECT_EQ(show(fcfs->free({9}, parts("0:0-2"), true)),
            given(1, "rank0/core[0-1]") + "; " + given(2, "rank0/core2"));
}

TEST(Fcfs, never_is_deny_and_ends_the_request) {
  // A request larger than the inventory is denied with a note and does not block; its id may come again.
  FakeManager manager({{4, 0}});
  const auto fcfs = test::scheduler("fcfs");
  fcfs->hello(manager, kNow);
  const std::string denied = "1 2 note unsatisfiable request: 5 cores requested, the inventory has 4";
  EXPECT_EQ(show(fcfs->alloc(job(1, slots(5)))), denied);
  EXPECT_EQ(show(fcfs->alloc(job(1, slots(5)))), denied);
  EXPECT_EQ(show(fcfs->alloc(job(2, slots(4)))), given(2, "rank0/core[0-3]"));
}

TEST(Fcfs, what_waits_for_nodes_to_come_back_is_passed_over) {
  // Down nodes count for feasibility, so the answer is "not now"; the job does not block others.
  FakeManager manager({{4, 0}, {4, 0}});
  manager.pool().set_down({1});
  const auto fcfs = test::scheduler("fcfs");
  fcfs->hello(manager, kNow);
  EXPECT_EQ(
      show(fcfs->alloc(job(1, nodes(2)))),
      waits(1, "waiting for nodes that are down or drained: 2 nodes with 1 core each requested, 1 of 2 up") +
          " passed over");
  EXPECT_EQ(show(fcfs->cancel({1})), "1 3");
  EXPECT_EQ(show(fcfs->alloc(job(2, slots(3)))), given(2, "rank0/core[0-2]"));
}

TEST(Fcfs, R27_16_order_is_priority_then_submit_time_then_id) {
  // Whatever order requests come in, they are served by priority, then submit time, then id.
  FakeManager manager({{4, 0}});
  manager.pool().allocate(parts("0:0-3"));
  const auto fcfs = test::scheduler("fcfs");
  fcfs->hello(manager, kNow);
  (void)fcfs->alloc(job(4, slots(1), 10, 5));
  (void)fcfs->alloc(job(3, slots(1), 10, 5));
  (void)fcfs->alloc(job(2, slots(1), 10, 4));
  (void)fcfs->alloc(job(9, slots(1), 4294967295, 6));
  EXPECT_EQ(show(fcfs->free({100}, parts("0:0-3"), true)),
            given(9, "rank0/core0") + "; " + given(2, "rank0/core1") + "; " + given(3, "rank0/core2") + "; " +
                given(4, "rank0/core3"));
}

TEST(Fcfs, R27_31_cancel_answers_with_id_and_type_only) {
  // R27.33: the pending request gets CANCEL and nothing else; what it blocked may follow.
  FakeManager manager({{4, 0}});
  manager.pool().allocate(parts("0:0"));
  const auto fcfs = test::scheduler("fcfs");
  fcfs->hello(manager, kNow);
  (void)fcfs->alloc(job(1, slots(4)));
  (void)fcfs->alloc(job(2, slots(1)));
  EXPECT_EQ(show(fcfs->cancel({1})), "1 3; " + given(2, "rank0/core1"));
}

TEST(Fcfs, R27_34_cancel_without_a_pending_request_is_ignored) {
  // Neither an unknown job nor one whose request has ended gets a reply.
  FakeManager manager({{4, 0}});
  const auto fcfs = test::scheduler("fcfs");
  fcfs->hello(manager, kNow);
  EXPECT_EQ(show(fcfs->cancel({1})), "");
  (void)fcfs->alloc(job(1, slots(1)));
  EXPECT_EQ(show(fcfs->cancel({1})), "");
}

TEST(Fcfs, R27_36_prioritize_reorders_and_ignores_unknown_ids) {
  // The job with the new highest priority is tried at once; ids without a request change nothing.
  FakeManager manager({{4, 0}});
  manager.pool().allocate(parts("0:0-2"));
  const auto fcfs = test::scheduler("fcfs");
  fcfs->hello(manager, kNow);
  (void)fcfs->alloc(job(1, slots(2), 20));
  (void)fcfs->alloc(job(2, slots(1), 10));
  const std::vector<std::pair<JobId, std::uint32_t>> unknown = {{{77}, 5}};
  EXPECT_EQ(show(fcfs->prioritize(unknown)), "");
  const std::vector<std::pair<JobId, std::uint32_t>> changes = {{{77}, 5}, {{2}, 30}, {{1}, 25}};
  EXPECT_EQ(show(fcfs->prioritize(changes)),
            given(2, "rank0/core3") + "; " + waits(1, "2 cores requested, 0 free"));
}

TEST(Fcfs, expiration_is_not_implemented) {
  // Nothing is planned, so any end will do: the job manager takes that as success.
  FakeManager manager({{4, 0}});
  const auto fcfs = test::scheduler("fcfs");
  fcfs->hello(manager, kNow);
  EXPECT_EQ(fcfs->expiration({1}, 5).status, ExpirationReply::Status::not_implemented);
}

TEST(Fcfs, free_releases_a_part_or_all) {
  // What is given back can be given again at once, rank by rank.
  FakeManager manager({{2, 0}, {2, 0}});
  const auto fcfs = test::scheduler("fcfs");
  fcfs->hello(manager, kNow);
  (void)fcfs->alloc(job(1, nodes(2, 1, 2)));
  EXPECT_EQ(show(fcfs->free({1}, parts("1:0-1"), false)), "");
  EXPECT_EQ(show(fcfs->alloc(job(2, slots(2)))), given(2, "rank1/core[0-1]"));
  EXPECT_EQ(show(fcfs->free({1}, parts("0:0-1"), true)), "");
  EXPECT_THROW((void)fcfs->free({1}, parts("0:0-1"), true), Error);
}

TEST(Fcfs, R27_2_a_second_request_in_flight_is_a_fault) {
  // Two outstanding requests of one job could not be told apart.
  FakeManager manager({{1, 0}});
  manager.pool().allocate(parts("0:0"));
  const auto fcfs = test::scheduler("fcfs");
  fcfs->hello(manager, kNow);
  (void)fcfs->alloc(job(1, slots(1)));
  EXPECT_THROW((void)fcfs->alloc(job(1, slots(1))), Error);
}

TEST(Fcfs, the_same_reason_is_said_once) {
  // A reply is sent when something is new to say.
  FakeManager manager({{4, 0}});
  manager.pool().allocate(parts("0:0-3"));
  const auto fcfs = test::scheduler("fcfs");
  fcfs->hello(manager, kNow);
  EXPECT_EQ(show(fcfs->alloc(job(1, slots(3)))), waits(1, "3 cores requested, 0 free"));
  EXPECT_EQ(show(fcfs->alloc(job(2, slots(3)))), "");
  EXPECT_EQ(show(fcfs->free({9}, parts("0:0"), false)), waits(1, "3 cores requested, 1 free"));
}

TEST(Protocol, R27_18_reply_types_have_their_numbers) {
  // The wire values of RFC 27.
  EXPECT_EQ(static_cast<int>(AllocType::success), 0);
  EXPECT_EQ(static_cast<int>(AllocType::annotate), 1);
  EXPECT_EQ(static_cast<int>(AllocType::deny), 2);
  EXPECT_EQ(static_cast<int>(AllocType::cancel), 3);
}

TEST(Factory, makes_schedulers_by_name) {
  // Every listed name gives the scheduler that calls itself so; others are refused with the list.
  for (const std::string& name : scheduler_names()) EXPECT_EQ(test::scheduler(name)->name(), name);
  try {
    (void)read_parameters(nlohmann::json{{"name", "fcf"}});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), Kind::invalid);
    EXPECT_TRUE(std::string(e.what()).starts_with("unknown scheduler 'fcf': expected one of ")) << e.what();
    EXPECT_EQ(e.hint(), "did you mean 'fcfs'?");
  }
}

}  // namespace
}  // namespace fq::sched
