// Reservations that are kept from pass to pass: when they hold, and when they are planned anew.

#include <gtest/gtest.h>

#include "base/error.h"
#include "sched/served.h"

namespace fq::sched {
namespace {

using test::FakeManager;
using test::kNow;
using test::parts;
using test::Served;
using test::slots;
using test::timed;
using test::waits;

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

}  // namespace
}  // namespace fq::sched
