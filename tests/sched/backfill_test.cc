// What waits behind a job that cannot start: what may go before it, and what is reserved.

#include "sched/backfill.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "sched/cluster.h"
#include "sched/support.h"

namespace fq::sched {
namespace {

using test::Cluster;
using test::ClusterJob;
using test::FakeManager;
using test::kNow;
using test::nodes;
using test::parts;
using test::slots;

AllocRequest timed(std::uint64_t id, AllocRequest request, double duration, std::uint32_t priority = 16) {
  request.id = {id};
  request.priority = priority;
  request.t_order = request.t_submit = static_cast<double>(id);
  request.duration = request.least_duration = duration;
  return request;
}

// Each reply as `id type`, with what was given or the estimate after now.
std::string shown(const std::vector<AllocReply>& replies) {
  std::string text;
  for (const AllocReply& reply : replies) {
    if (!text.empty()) text += "; ";
    text += fmt::format("{} {}", reply.id.value, static_cast<int>(reply.type));
    if (reply.R) text += " " + reply.R->summary();
    if (reply.type == AllocType::annotate && !reply.annotations.empty()) text += " " + reply.annotations;
    if (reply.for_class) text += " class";
  }
  return text;
}

std::string waits(std::uint64_t id, const std::string& reason, const std::string& estimate) {
  return fmt::format(R"({} 1 {{"sched":{{"reason_pending":"{}","t_estimate":{}}}}})", id, reason, estimate);
}

struct Served {
  explicit Served(const std::string& name, FakeManager& of) : scheduler(test::scheduler(name)), manager(of) {
    scheduler->hello(manager, kNow);
  }
  std::string alloc(const AllocRequest& request) { return shown(scheduler->alloc(request)); }
  std::string reserved() {
    std::string text;
    for (const Reservation& each : manager.timeline().reservations(true)) {
      text += fmt::format("{}{}@{} {}", text.empty() ? "" : "; ", each.id.value, each.start - kNow,
                          each.R.summary());
    }
    return text;
  }
  std::unique_ptr<Scheduler> scheduler;
  FakeManager& manager;
};

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

// A reservation of the last pass for a request of all four cores, of which two are in use for 100 s.
struct Kept {
  explicit Kept(std::uint64_t id = 1) {
    request = timed(id, slots(4), 50);
    of.id = {id};
    of.request = request_key(request);
    of.start = kNow + 100;
    of.end = kNow + 150;
    of.made = of.ranked = kNow - 20;
    of.R = parts("0:0-3");
    manager.runs(90, parts("0:0-1"), kNow + 100);
  }
  AllocRequest request;
  Reservation of;
  FakeManager manager{{{4, 0}}};
};

TEST(Kept, a_reservation_holds_against_what_comes_before_its_job_until_it_may_lose_its_place) {
  // Each queue has so many, whoever has come to be first in the order meanwhile.
  for (const bool may_lose : {false, true}) {
    Kept kept;
    kept.of.may_lose = may_lose;
    kept.manager.keeps({kept.of});
    Served easy("easy", kept.manager);
    (void)easy.alloc(timed(2, slots(3), 70, 20));
    (void)easy.alloc(kept.request);
    EXPECT_EQ(easy.reserved(), may_lose ? "2@100 rank0/core[0-2]" : "1@100 rank0/core[0-3]");
    EXPECT_EQ(kept.manager.timeline().withstood(), !may_lose);
  }
}

TEST(Kept, what_has_come_since_and_comes_before_its_job_has_its_place) {
  // That of the highest urgency is served first.
  for (const int since : {-5, 5}) {
    Kept kept;
    kept.manager.keeps({kept.of});
    Served easy("easy", kept.manager);
    AllocRequest urgent = timed(2, slots(3), 70, 20);
    urgent.t_pending = kept.of.ranked + since;
    (void)easy.alloc(urgent);
    (void)easy.alloc(kept.request);
    EXPECT_EQ(easy.reserved(), since > 0 ? "2@100 rank0/core[0-2]" : "1@100 rank0/core[0-3]");
  }
}

TEST(Kept, what_comes_before_its_job_and_does_not_delay_it_starts) {
  Kept kept;
  kept.manager.keeps({kept.of});
  Served easy("easy", kept.manager);
  EXPECT_EQ(easy.alloc(timed(2, slots(2), 101, 20)), waits(2, "what is free is reserved", "null"));
  EXPECT_EQ(easy.alloc(timed(3, slots(2), 100, 20)), "3 0 rank0/core[2-3]");
}

TEST(Kept, it_is_planned_anew_where_what_it_waits_for_has_changed_and_only_there) {
  // The job that it waits for has ended in its time of another node: it is not in the way any more.
  for (const bool stale : {false, true}) {
    Kept kept;
    kept.of.start = kNow + 300;
    kept.of.end = kNow + 350;
    kept.of.stale = stale;
    kept.manager.keeps({kept.of});
    Served conservative("conservative", kept.manager);
    (void)conservative.alloc(kept.request);
    EXPECT_EQ(conservative.reserved(), stale ? "1@100 rank0/core[0-3]" : "1@300 rank0/core[0-3]");
  }
}

TEST(Kept, whose_place_is_gone_takes_that_of_one_made_later) {
  // The running job may go on for longer than it was to: nobody who came later gains by that.
  Kept kept;
  kept.of.start = kNow + 50;
  kept.of.end = kNow + 100;
  kept.of.stale = true;
  Kept other(2);
  other.of.start = kNow + 100;
  kept.manager.keeps({kept.of, other.of});
  Served conservative("conservative", kept.manager);
  (void)conservative.alloc(kept.request);
  (void)conservative.alloc(other.request);
  EXPECT_EQ(conservative.reserved(), "1@100 rank0/core[0-3]; 2@150 rank0/core[0-3]");
}

TEST(Kept, its_job_starts_as_soon_as_it_can_beside_the_others) {
  Kept kept;
  FakeManager free{{{4, 0}}};
  free.keeps({kept.of});
  Served easy("easy", free);
  EXPECT_EQ(easy.alloc(kept.request), "1 0 rank0/core[0-3]");
  EXPECT_EQ(easy.reserved(), "");
}

TEST(Kept, what_is_overdue_makes_its_time_one_that_is_not_known) {
  Kept kept;
  FakeManager late{{{4, 0}}};
  late.runs(90, parts("0:0-1"), kNow - 1);
  late.keeps({kept.of});
  Served easy("easy", late);
  EXPECT_EQ(easy.alloc(kept.request), waits(1, "4 cores requested, 2 free", "null") + " class");
  EXPECT_EQ(easy.reserved(), "1@60 rank0/core[0-3]");
}

TEST(Kept, it_stands_where_its_nodes_are_down_and_promises_no_time) {
  // Nothing is planned into the rest of it; its job starts elsewhere where it can.
  Kept kept;
  kept.of.R = parts("0:0-3 1:0-3");
  kept.request = timed(1, slots(8), 50);
  kept.of.request = request_key(kept.request);
  kept.of.down_since = kNow - 10;
  FakeManager manager{{{4, 0}, {4, 0}}};
  manager.runs(90, parts("0:0-1"), kNow + 100);
  manager.pool().set_down(notation::Idset{1});
  manager.keeps({kept.of});
  Served easy("easy", manager);
  EXPECT_EQ(easy.alloc(timed(2, slots(1), 0, 20)), waits(2, "what is free is reserved", "null"));
  (void)easy.alloc(kept.request);
  EXPECT_EQ(easy.reserved(), "1@100 rank[0-1]/core[0-3]");
  EXPECT_EQ(easy.alloc(timed(3, slots(1), 99)), "3 0 rank0/core2");
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
