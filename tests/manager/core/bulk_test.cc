// Requests about many jobs: their steps, and what is told when one fails.

#include "manager/core/bulk.h"

#include <gtest/gtest.h>

#include "job/events.h"
#include "manager/core/post.h"
#include "manager/jobs/cancel.h"
#include "manager/look/query.h"
#include "meeting/wake.h"
#include "records/job_table.h"
#include "store/rocks/database.h"
#include "store/store_lock.h"
#include "support/error_text.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

using manager::Change;
using notation::JobId;

class ActOnJobs : public testing::Test {
 protected:
  static constexpr std::uint32_t kJobs = 6000;  // too many for one step

  ActOnJobs() {
    request::JobGroup request;
    request.jobspec.pieces = {Scenario::jobspec()};
    request.copies = notation::Idset::decode(fmt::format("1-{}", kJobs));
    request.urgency = 0;
    ids = manager::submit(s.session, {request});
  }

  // Cancels the jobs one by one, calling `before` with the number of each.
  manager::BulkReply<JobId> cancel_all(const std::function<void(std::size_t)>& before) {
    std::size_t n = 0;
    return manager::act_on_jobs<JobId>(
        s.session, [&](Change&) { return ids; },
        [&](Change& change, JobId id) -> std::optional<JobId> {
          before(n++);
          static_cast<void>(change.job(id));
          manager::post(change, id, job::events::exception(change.now(), "cancel", 0, "", 0));
          return id;
        },
        manager::FullDisk::use_reserve);
  }

  std::size_t canceled() const {
    std::size_t n = 0;
    manager::query(s.session, [&](const store::Reader& reader) {
      for (const JobId id : ids) n += records::find_job(reader, id)->state == job::State::inactive ? 1 : 0;
    });
    return n;
  }

  std::uint64_t transactions() const {
    return store::rocks::Database::open(store::database_path(s.session.store), false).transaction_number();
  }

  Scenario s;
  std::vector<JobId> ids;
};

TEST_F(ActOnJobs, what_is_too_much_for_one_transaction_takes_several) {
  // Every job once, in order.
  const auto before = transactions();
  const auto reply = cancel_all([](std::size_t) {});
  EXPECT_GT(transactions() - before, 1U);
  EXPECT_EQ(reply.done, ids);
  EXPECT_TRUE(reply.refusals.empty());
  EXPECT_EQ(canceled(), kJobs);
}

TEST_F(ActOnJobs, whoever_waits_for_one_of_very_many_is_woken) {
  // Within the backstop, at which a waiter looks by itself.
  meeting::Waiter waiter(s.session.files(), {&ids[10], 1});
  EXPECT_FALSE(waiter.wait(0));
  EXPECT_EQ(cancel_all([](std::size_t) {}).done.size(), kJobs);
  EXPECT_TRUE(waiter.wait(0));
}

TEST_F(ActOnJobs, a_selection_is_counted) {
  // Jobs that are named are told, too.
  manager::RaiseRequest request;
  request.selection.emplace();
  request.dry_run = true;
  auto reply = manager::raise(s.session, request);
  EXPECT_EQ(reply.count, kJobs);
  EXPECT_TRUE(reply.done.empty());
  request.selection.reset();
  request.ids = {ids[3], ids[1]};
  request.dry_run = false;
  reply = manager::raise(s.session, request);
  EXPECT_EQ(reply.count, 2U);
  EXPECT_EQ(reply.done, request.ids);
  request.selection.emplace();
  request.ids.clear();
  EXPECT_EQ(manager::raise(s.session, request).count, kJobs - 2);
}

TEST_F(ActOnJobs, each_refusal_is_told_once) {
  // Refusals before and after the end of a step; which of several jobs it is stands in front.
  const auto reply = cancel_all([](std::size_t n) {
    if (n == 10 || n == kJobs - 1) throw error(Kind::refused, "not number {}", n);
  });
  EXPECT_EQ(reply.done.size(), kJobs - 2);
  ASSERT_EQ(reply.refusals.size(), 2U);
  const auto& refusals = reply.refusals;
  EXPECT_EQ(refusals[0].why.what(), fmt::format("{}: not number 10", refusals[0].id));
  EXPECT_EQ(refusals[1].why.what(), fmt::format("{}: not number {}", refusals[1].id, kJobs - 1));
  EXPECT_EQ(canceled(), kJobs - 2);
}

TEST_F(ActOnJobs, an_error_tells_how_many_are_stored) {
  // What earlier steps stored stays, and what the failing one did is gone.
  const std::string text = error_text([&] {
    static_cast<void>(cancel_all([](std::size_t n) {
      if (n == kJobs - 1) throw error(Kind::io, "the disk is broken");
    }));
  });
  const std::size_t stored = canceled();
  EXPECT_GT(stored, 0U);
  EXPECT_LT(stored, kJobs);
  EXPECT_EQ(text, fmt::format("after {} of {} jobs: the disk is broken", stored, kJobs));
}

TEST_F(ActOnJobs, a_full_disk_in_a_later_step_repeats_that_step_alone) {
  // The reserve is given up; nobody is acted on twice, nor told of twice.
  bool full = true;
  const auto reply = cancel_all([&](std::size_t n) {
    if (n == kJobs - 1 && std::exchange(full, false)) throw error(Kind::no_space, "no space left on device");
  });
  EXPECT_FALSE(full);
  EXPECT_EQ(reply.done, ids);
  EXPECT_EQ(canceled(), kJobs);
  for (const JobId id : {ids.front(), ids.back()}) {
    EXPECT_EQ(s.events(id), "submit validate depend priority exception clean");
  }
}

}  // namespace
}  // namespace fq::test
