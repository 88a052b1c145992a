// What waits behind a job that cannot start: what may go before it, and what is reserved.

#include "sched/backfill.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "sched/cluster.h"
#include "sched/served.h"

namespace fq::sched {
namespace {

using test::Cluster;
using test::ClusterJob;
using test::FakeManager;
using test::kNow;
using test::nodes;
using test::parts;
using test::Served;
using test::shown;
using test::slots;
using test::timed;
using test::waits;

TEST(Easy, R27_27_a_head_that_waits_has_an_estimate_and_a_reason) {
  FakeManager manager({{4, 0}, {4, 0}});
  manager.runs(90, parts("0:0-3"), kNow + 100);
  Served easy("easy", manager);
  EXPECT_EQ(easy.alloc(timed(1, nodes(2, 1, 4), 50)),
            waits(1, "waiting for 2 nodes with 4 free cores each (1 now)", "1000100.0") + " class");
  EXPECT_EQ(easy.reserved(), "1@100 rank[0-1]/core[0-3]");
}

TEST(Easy, a_later_job_starts_where_it_does_not_delay_the_head) {
  // One that ends before the head starts may have its cores; a longer one only others.
  FakeManager manager({{4, 0}, {4, 0}});
  manager.runs(90, parts("0:0-3"), kNow + 100);
  Served easy("easy", manager);
  (void)easy.alloc(timed(1, slots(6), 50));
  EXPECT_EQ(easy.reserved(), "1@100 rank0/core[0-3] rank1/core[0-1]");
  EXPECT_EQ(easy.alloc(timed(2, slots(3), 101)), "2 1 class");
  EXPECT_EQ(easy.alloc(timed(3, slots(2), 101)), "3 0 rank1/core[2-3]");
  EXPECT_EQ(easy.alloc(timed(4, slots(2), 100)), "4 0 rank1/core[0-1]");
  EXPECT_EQ(easy.alloc(timed(5, slots(1), 1)), "5 1 class");
}

TEST(Easy, a_job_without_a_duration_is_endless) {
  // It starts beside the reservation only, and what waits for its end is promised no time.
  FakeManager manager({{2, 0}, {2, 0}});
  manager.runs(90, parts("0:0-1"), 0);
  Served easy("easy", manager);
  EXPECT_EQ(easy.alloc(timed(1, slots(3), 50)), waits(1, "3 cores requested, 2 free", "null") + " class");
  EXPECT_EQ(easy.alloc(timed(2, slots(2), 0)), "2 1 class");
  EXPECT_EQ(easy.alloc(timed(3, slots(1), 0)), "3 0 rank1/core1");
  EXPECT_EQ(easy.alloc(timed(4, slots(1), 60)), "4 0 rank1/core0");
}

TEST(Easy, the_end_of_a_job_that_is_overdue_is_not_known) {
  FakeManager manager({{2, 0}});
  manager.runs(90, parts("0:0-1"), kNow - 5);
  Served easy("easy", manager);
  EXPECT_EQ(easy.alloc(timed(1, slots(2), 50)), waits(1, "2 cores requested, 0 free", "null") + " class");
  EXPECT_EQ(easy.reserved(), "1@60 rank0/core[0-1]");
}

TEST(Easy, a_short_member_of_a_class_is_tried_though_a_longer_one_did_not_fit) {
  // What is said of the class counts with the shortest that it may have.
  FakeManager manager({{4, 0}});
  manager.runs(90, parts("0:0-1"), kNow + 100);
  Served easy("easy", manager);
  (void)easy.alloc(timed(1, slots(4), 50));
  AllocRequest longer = timed(2, slots(1), 104);
  longer.least_duration = 98;
  EXPECT_EQ(easy.alloc(longer), "2 1");
  AllocRequest shorter = timed(3, slots(1), 99);
  EXPECT_EQ(easy.alloc(shorter), "3 0 rank0/core2");
}

TEST(Easy, whole_nodes_and_gpus_are_reserved_as_they_are_allocated) {
  FakeManager manager({{4, 2}, {4, 0}});
  manager.runs(90, parts("0:0:0"), kNow + 10);
  Served easy("easy", manager);
  (void)easy.alloc(timed(1, slots(1, 1, 2), 50));
  EXPECT_EQ(easy.reserved(), "1@10 rank0/core0,gpu[0-1]");
  EXPECT_EQ(easy.alloc(timed(2, slots(1, 1, 1), 50)), "2 1 class");
  EXPECT_EQ(easy.alloc(timed(3, slots(1, 1, 1), 9)), "3 0 rank0/core1,gpu1");
  EXPECT_EQ(easy.alloc(timed(4, nodes(1, 1, 1, 0, true), 500)), "4 0 rank1/core[0-3]");
}

TEST(Easy, what_is_reserved_is_on_nodes_that_are_not_free_yet) {
  // So that what is free stays open to long jobs.
  FakeManager manager({{1, 0}, {1, 0}, {1, 0}, {1, 0}});
  manager.runs(90, parts("2:0 3:0"), kNow + 10);
  Served easy("easy", manager);
  (void)easy.alloc(timed(1, nodes(3), 50));
  EXPECT_EQ(easy.reserved(), "1@10 rank[0,2-3]/core0");
  EXPECT_EQ(easy.alloc(timed(2, nodes(1), 500)), "2 0 rank1/core0");
}

TEST(Easy, nothing_is_reserved_beyond_the_end_of_the_inventory) {
  auto machine = test::inventory({{2, 0}});
  machine->expiration = kNow + 100;
  FakeManager manager(machine);
  manager.runs(90, parts("0:0"), kNow + 100);
  Served easy("easy", manager);
  EXPECT_EQ(easy.alloc(timed(1, slots(2), 50)), waits(1, "2 cores requested, 1 free", "null"));
  EXPECT_EQ(easy.alloc(timed(2, slots(1), 500)), "2 0 rank0/core1");
}

TEST(Easy, free_and_cancel_let_the_others_move_up) {
  FakeManager manager({{4, 0}});
  manager.runs(90, parts("0:0-1"), kNow + 100);
  Served easy("easy", manager);
  (void)easy.alloc(timed(1, slots(4), 50));
  (void)easy.alloc(timed(2, slots(2), 200));
  EXPECT_EQ(shown(easy.scheduler->cancel({1})), "1 3; 2 0 rank0/core[2-3]");
  (void)easy.alloc(timed(3, slots(3), 50));
  EXPECT_EQ(easy.reserved(), "3@200 rank0/core[0-2]");
  EXPECT_EQ(shown(easy.scheduler->free({90}, parts("0:0-1"), true)),
            waits(3, "3 cores requested, 2 free", "1000200.0") + " class");
  EXPECT_EQ(shown(easy.scheduler->free({2}, parts("0:2-3"), true)), "3 0 rank0/core[0-2]");
}

TEST(Conservative, reserves_for_every_one_that_waits) {
  FakeManager manager({{4, 0}});
  manager.runs(90, parts("0:0-1"), kNow + 100);
  Served conservative("conservative", manager);
  (void)conservative.alloc(timed(1, slots(4), 50));
  (void)conservative.alloc(timed(2, slots(2), 200));
  (void)conservative.alloc(timed(3, slots(3), 20));
  (void)conservative.alloc(timed(4, slots(1), 100));
  EXPECT_EQ(conservative.reserved(), "1@100 rank0/core[0-3]; 2@150 rank0/core[0-1]; 3@350 rank0/core[0-2]");
  EXPECT_EQ(manager.pool().taken().cores, 3U) << "the fourth ends before the first begins";
}

TEST(Conservative, R27_39_the_end_of_a_running_job_is_not_moved_into_a_reservation) {
  FakeManager manager({{2, 0}});
  manager.runs(90, parts("0:0"), kNow + 100);
  Served conservative("conservative", manager);
  (void)conservative.alloc(timed(1, slots(2), 50));
  EXPECT_EQ(conservative.scheduler->expiration({90}, kNow + 100).status, ExpirationReply::Status::accepted);
  const ExpirationReply refused = conservative.scheduler->expiration({90}, kNow + 101);
  EXPECT_EQ(refused.status, ExpirationReply::Status::refused);
  EXPECT_EQ(refused.reason, "it would delay job ƒ2, for which its resources are reserved");
  Served easy("easy", manager);
  EXPECT_EQ(easy.scheduler->expiration({90}, kNow + 500).status, ExpirationReply::Status::not_implemented);
}

TEST(Conservative, what_was_reserved_stays_where_it_was) {
  // On the same cores, though others would do as well now; where an end is another one it moves to an earlier
  // time.
  Reservation kept;
  kept.id = {1};
  AllocRequest request = timed(1, slots(2), 50);
  kept.request = request_key(request);
  kept.start = kNow + 100;
  kept.end = kNow + 150;
  kept.R = parts("0:2-3");
  for (const auto& [end, expected] :
       {std::pair{100, "1@100 rank0/core[2-3]"}, {80, "1@80 rank0/core[0-1]"}}) {
    FakeManager manager({{4, 0}});
    manager.runs(90, parts("0:0-3"), kNow + end);
    kept.stale = end == 80;
    manager.keeps({kept});
    Served conservative("conservative", manager);
    (void)conservative.alloc(request);
    EXPECT_EQ(conservative.reserved(), expected);
  }
}

TEST(Conservative, what_was_reserved_for_another_request_does_not_hold) {
  Reservation kept;
  kept.id = {1};
  kept.request = request_key(timed(1, slots(2), 50));
  kept.start = kNow + 100;
  kept.R = parts("0:2-3");
  FakeManager manager({{4, 0}});
  manager.runs(90, parts("0:0-3"), kNow + 100);
  manager.keeps({kept});
  Served conservative("conservative", manager);
  (void)conservative.alloc(timed(1, slots(3), 50));
  EXPECT_EQ(conservative.reserved(), "1@100 rank0/core[0-2]");
}

TEST(Fcfs, reserves_where_others_share_its_nodes_and_blocks) {
  for (const bool shared : {false, true}) {
    FakeManager manager({{2, 0}});
    manager.runs(90, parts("0:0"), kNow + 100);
    if (shared) manager.shares();
    Served fcfs("fcfs", manager);
    (void)fcfs.alloc(timed(1, slots(2), 50));
    EXPECT_EQ(fcfs.reserved(), shared ? "1@100 rank0/core[0-1]" : "");
    EXPECT_EQ(fcfs.alloc(timed(2, slots(1), 5)), "");
  }
}

TEST(Overlap, each_queue_has_as_many_reservations_as_its_depth_says) {
  // What is reserved by one does not count for the other, in the same pass nor in the next.
  const auto in = [](const std::string& queue, std::uint64_t id) {
    AllocRequest request = timed(id, slots(2), 50);
    request.queue = queue;
    return request;
  };
  std::vector<Reservation> kept;
  for (int pass = 0; pass < 2; ++pass) {
    FakeManager manager({{2, 0}});
    manager.runs(90, parts("0:0-1"), kNow + 100);
    manager.keeps(kept);
    manager.shares();
    const auto a = test::scheduler("easy", "a"), b = test::scheduler("easy", "b");
    for (const auto& scheduler : {&*a, &*b}) scheduler->hello(manager, kNow);
    for (const std::uint64_t id : {1, 3}) {
      (void)a->alloc(in("a", id));
      (void)b->alloc(in("b", id + 1));
    }
    std::string reserved;
    kept = manager.timeline().reservations(true);
    for (const Reservation& each : kept) reserved += fmt::format("{}@{} ", each.id.value, each.start - kNow);
    EXPECT_EQ(reserved, "1@100 2@150 ");
  }
}

TEST(Overlap, each_queue_goes_its_own_way_beside_what_is_reserved_for_the_other) {
  // The head of `batch` waits; `debug` starts what ends in time, by a scheduler of its own.
  Cluster cluster(
      {{2, 0}, {2, 0}},
      [](const std::string& queue) { return test::scheduler(queue == "batch" ? "fcfs" : "easy", queue); },
      true);
  const auto of = [](const std::string& queue, std::uint64_t id, double submit, AllocRequest request,
                     double duration) {
    ClusterJob made{id, submit, std::move(request), 0, 0};
    made.request.queue = queue;
    made.request.duration = duration;
    made.request.priority = 16;
    return made;
  };
  cluster.run({of("batch", 1, kNow, slots(3), 100), of("batch", 2, kNow + 1, slots(4), 100),
               of("batch", 3, kNow + 2, slots(1), 10), of("debug", 4, kNow + 3, slots(1), 200),
               of("debug", 5, kNow + 4, slots(1), 50)});
  std::string starts;
  for (const auto& [id, run] : cluster.runs) starts += fmt::format("{}@{} ", id, run.start - kNow);
  EXPECT_EQ(starts, "1@0 2@100 3@200 4@200 5@4 ");
}

}  // namespace
}  // namespace fq::sched
