// Jobs that are canceled, and jobs whose shell was lost.

#include <gtest/gtest.h>

#include "document/event/eventlog.h"
#include "job/events.h"
#include "manager/core/change.h"
#include "manager/engine/lost_shells.h"
#include "manager/jobs/finish.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

TEST(JobEnd, R27_46_canceling_a_pending_job_frees_nothing_and_ends_it) {
  Scenario s(1, 1);
  const auto a = s.submit(), b = s.submit();
  s.cancel(b, "changed my mind");
  EXPECT_EQ(s.events(b), "submit validate depend priority exception clean");
  EXPECT_EQ(s.states({a, b}), "R CA");
  s.finish(a);
}

TEST(JobEnd, R16_18_canceling_a_running_job_waits_for_its_tasks_before_it_frees) {
  // The job holds its resources in CLEANUP until its shell reports the end.
  Scenario s(1, 1);
  const auto a = s.submit(), b = s.submit();
  s.cancel(a);
  EXPECT_EQ(s.states({a, b}), "C S");
  s.finish(a, 15);
  EXPECT_EQ(s.states({a, b}), "CA R");
  EXPECT_EQ(s.events(a), "submit validate depend priority alloc start exception finish release free clean");
  s.finish(b);
}

// The times of the events in the job's log, seconds since `start`.
std::string times(const Scenario& s, notation::JobId id, double start) {
  std::string text;
  for (const auto& event : document::decode_eventlog(s.document(id, "eventlog"))) {
    text += fmt::format("{}{} {:g}", text.empty() ? "" : ", ", event.name, event.timestamp - start);
  }
  return text;
}

TEST(JobEnd, the_times_of_a_log_never_decrease) {
  // The shell measured its end, and what it has to say, before another process told of the cancel: both are
  // posted after it. What it measured stays where it is in order, and nothing is dated ahead.
  Scenario s(1, 2);
  const double start = s.clock.now();
  const auto a = s.submit(), b = s.submit();
  s.clock.advance(5);
  s.cancel(a);
  const auto end = [&](notation::JobId id, double t_exception, double t_finish) {
    manager::transact(s.session, [&](manager::Change& change) {
      manager::FinishRequest request;
      request.id = id;
      request.exceptions.push_back(job::events::exception(start + t_exception, "exec", 1, "late"));
      request.t_finish = start + t_finish;
      manager::finish_job(change, request);
    });
    s.launcher.shells.erase(id);
  };
  s.clock.advance(2);
  end(a, 3, 4);
  end(b, 6, 100);
  EXPECT_EQ(
      times(s, a, start),
      "submit 0, validate 0, depend 0, priority 0, alloc 0, start 0, exception 5, exception 5, finish 5, "
      "release 7, free 7, clean 7");
  EXPECT_EQ(times(s, b, start),
            "submit 0, validate 0, depend 0, priority 0, alloc 0, start 0, exception 6, finish 7, release 7, "
            "free 7, clean 7");
}

TEST(JobEnd, a_job_whose_shell_died_before_any_task_gets_another_one) {
  // Up to kMaxAttempts times; then the job fails and its resources are free.
  Scenario s(1, 1);
  const auto id = s.submit();
  for (std::uint32_t attempt = 2; attempt <= manager::kMaxAttempts; ++attempt) {
    s.kill_shell(id);
    s.tick();
    EXPECT_EQ(s.job(id).attempt, attempt);
    EXPECT_EQ(s.states({id}), "R");
  }
  s.kill_shell(id);
  s.tick();
  EXPECT_EQ(s.states({id}), "F");
  EXPECT_EQ(s.job(id).exception.note, "the job shell was killed");
  EXPECT_TRUE(
      s.events(id).starts_with("submit validate depend priority alloc start shell-restart shell-restart"));
  EXPECT_TRUE(s.events(id).ends_with("shell-restart exception finish release free clean"));
}

TEST(JobEnd, a_shell_that_found_no_room_is_no_attempt) {
  // However often a writer comes: the job waits for room, and then runs as if nothing had been.
  Scenario s(1, 64);
  s.launcher.exhausted = true;
  const auto id = s.submit(), other = s.submit();
  for (std::uint32_t i = 0; i < 2 * manager::kMaxAttempts; ++i) s.tick();
  EXPECT_EQ(s.states({id, other}), "R R");
  EXPECT_EQ(s.launcher.started, 0U);
  s.launcher.exhausted = false;
  s.tick();
  EXPECT_EQ(s.launcher.started, 2U);
  EXPECT_EQ(s.events(id), "submit validate depend priority alloc start");
  s.finish(id);
  s.finish(other);
  EXPECT_EQ(s.states({id, other}), "CD CD");
}
}  // namespace
}  // namespace fq::test
