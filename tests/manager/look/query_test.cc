// What is asked of one job, each in one look.

#include "manager/look/query.h"

#include <limits>

#include <gtest/gtest.h>

#include "support/error_text.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

using notation::JobId;

TEST(Query, time_is_left_while_a_job_runs) {
  // Nothing once it has ended, without end where it has no limit; one that waits has not begun.
  Scenario s;
  const JobId limited = s.submit(Scenario::jobspec(1, 2, R"("duration":60)")), endless = s.submit(2);
  const JobId waiting = s.submit();
  s.clock.advance(20);
  EXPECT_EQ(manager::time_left(s.session, limited), 40);
  EXPECT_EQ(manager::time_left(s.session, endless), std::numeric_limits<double>::infinity());
  EXPECT_EQ(error_text([&] { static_cast<void>(manager::time_left(s.session, waiting)); }),
            "job " + notation::to_f58(waiting) + " has not started");
  s.finish(limited);
  EXPECT_EQ(manager::time_left(s.session, limited), 0);
}

TEST(Query, jobs_that_must_be_there_are_named_where_they_are_not) {
  Scenario s;
  const JobId id = s.submit();
  manager::require_jobs(s.session, {id});
  EXPECT_EQ(error_text([&] {
              manager::require_jobs(s.session, {id, JobId{4711}});
            }),
            "job " + notation::to_f58(JobId{4711}) + " does not exist");
}

TEST(Query, a_job_waits_for_another_until_its_turn) {
  // What a listing shows of it comes with the job.
  Scenario s;
  s.submit(4);
  const manager::ListedJob listed = manager::find_job(s.session, s.submit(4));
  EXPECT_EQ(listed.job.state, job::State::sched);
  EXPECT_TRUE(listed.reason_pending);
}

TEST(Query, documents_are_there_by_their_keys) {
  Scenario s;
  const JobId id = s.submit();
  s.finish(id);
  EXPECT_EQ(manager::document_keys(s.session, id),
            (std::vector<std::string>{"J", "R", "eventlog", "jobspec"}));
  EXPECT_EQ(manager::read_document(s.session, {id, "eventlog"})->read_all(), s.document(id, "eventlog"));
  EXPECT_EQ(manager::read_document(s.session, {.id = id, .key = "eventlog", .repaired = true})->read_all(),
            s.document(id, "eventlog"));
  EXPECT_EQ(error_text([&] {
              static_cast<void>(manager::read_document(s.session, {id, "guest.output"}));
            }),
            "job " + notation::to_f58(id) + " has no guest.output");
}

}  // namespace
}  // namespace fq::test
