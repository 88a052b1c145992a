// What a look at one job gives that is followed: what was asked for, and when.

#include "manager/look/follow.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "manager/core/change.h"
#include "manager/jobs/finish.h"
#include "manager/run/guest.h"
#include "support/error_text.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

using notation::JobId;
using Eventlog = manager::FollowRequest::Eventlog;

class Follow : public testing::Test {
 protected:
  void finish_with_output(JobId id, const std::string& bytes) {
    const meeting::JobFiles files = s.session.files();
    files.create_guest(id);
    write_file(files.guest(id) + "/output", bytes);
    manager::transact(s.session, [&](manager::Change& change) {
      manager::FinishRequest end{id, s.launcher.shells.at(id).plan.attempt, 0, {}, change.now(), {}};
      end.guest = manager::collect_guest(files, id);
      manager::finish_job(change, end);
    });
    s.launcher.shells.erase(id);
  }
  // The first log that was asked for.
  std::string output() {
    auto reply = manager::follow_job(s.session, request);
    return reply.logs.at(0) ? reply.logs[0]->read_all() : "none";
  }

  Scenario s;
  manager::FollowRequest request;
};

TEST_F(Follow, nothing_comes_that_was_not_asked_for) {
  request.id = s.submit();
  const auto reply = manager::follow_job(s.session, request);
  EXPECT_EQ(reply.job, s.job(request.id));
  EXPECT_FALSE(reply.eventlog);
  EXPECT_FALSE(reply.jobspec);
  EXPECT_TRUE(reply.logs.empty());
  EXPECT_TRUE(reply.reasons.empty());
}

TEST_F(Follow, a_log_of_the_guest_comes_once_the_job_has_ended_unless_the_file_of_its_run_is_open) {
  // A job that was requeued has run again: the file that is open is not its last one.
  request.id = s.submit();
  request.logs = {{"output"}};
  const double t_run = s.job(request.id).t_run;
  EXPECT_EQ(output(), "none");
  finish_with_output(request.id, "text");
  EXPECT_EQ(output(), "text");
  request.logs[0].open_run = t_run;
  EXPECT_EQ(output(), "none");
  request.logs[0].open_run = t_run - 1;
  EXPECT_EQ(output(), "text");
}

TEST_F(Follow, the_event_log_comes_always_or_when_there_was_an_exception) {
  request.id = s.submit();
  request.eventlog = Eventlog::with_exception;
  EXPECT_FALSE(manager::follow_job(s.session, request).eventlog);
  request.eventlog = Eventlog::always;
  EXPECT_EQ(manager::follow_job(s.session, request).eventlog, s.document(request.id, "eventlog"));
  s.cancel(request.id);
  request.eventlog = Eventlog::with_exception;
  EXPECT_EQ(manager::follow_job(s.session, request).eventlog, s.document(request.id, "eventlog"));
}

TEST_F(Follow, the_jobspec_comes_while_the_job_is_active) {
  request.id = s.submit();
  request.jobspec = true;
  EXPECT_TRUE(manager::follow_job(s.session, request).jobspec);
  s.finish(request.id);
  EXPECT_FALSE(manager::follow_job(s.session, request).jobspec);
}

TEST_F(Follow, why_it_waits_comes_while_it_does) {
  const JobId before = s.submit(4);
  request.id = s.submit(4);
  request.count_reasons = 10;
  EXPECT_FALSE(manager::follow_job(s.session, request).reasons.empty());
  s.finish(before);
  EXPECT_TRUE(manager::follow_job(s.session, request).reasons.empty());
}

TEST_F(Follow, an_id_that_is_no_job_is_refused) {
  request.id = JobId{4711};
  EXPECT_EQ(error_text([&] { static_cast<void>(manager::follow_job(s.session, request)); }),
            "job " + notation::to_f58(request.id) + " does not exist");
}

}  // namespace
}  // namespace fq::test
