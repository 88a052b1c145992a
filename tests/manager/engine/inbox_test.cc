// The holder of the store lock ends the jobs whose shells wait for it.

#include "manager/engine/inbox.h"

#include "base/file.h"
#include "manager/jobs/finish.h"
#include "meeting/exec_log.h"
#include "support/scenario.h"

namespace fq::manager {
namespace {

using test::Scenario;

class Inbox : public testing::Test {
 protected:
  /// The job's shell records its end and waits for the lock.
  void record_end(JobId id, int status, bool announce = true) {
    meeting::ExecLog log(files_, id, 1, store_.clock, 1);
    log.complete({status, {}, store_.clock.now()});
    if (announce) announce_end(files_, id);
  }

  Scenario store_;
  meeting::JobFiles files_ = store_.session.files();
};

TEST_F(Inbox, who_comes_first_ends_all_who_wait) {
  // One transaction, of whoever, ends the announced jobs with their own status and starts what got their
  // resources.
  const JobId a = store_.submit(2), b = store_.submit(2), next = store_.submit(4);
  EXPECT_EQ(store_.states({a, b, next}), "R R S");
  record_end(a, 0);
  record_end(b, 7 << 8);
  EXPECT_FALSE(end_served(files_, a));
  store_.tick();
  EXPECT_EQ(store_.states({a, b, next}), "CD F R");
  EXPECT_EQ(store_.job(b).wait_status, 7 << 8);
  EXPECT_TRUE(end_served(files_, a));
  EXPECT_TRUE(files_.inbox_ids().empty());
  // Their shells, which have the lock now, do not even open the database.
  bool opened = false;
  transact_unless(
      store_.session, [&] { return end_served(files_, a); }, [&](Change&) { opened = true; });
  EXPECT_FALSE(opened);
  transact_unless(
      store_.session, [&] { return end_served(files_, next); }, [&](Change&) { opened = true; });
  EXPECT_TRUE(opened);
}

TEST_F(Inbox, who_is_submitted_meanwhile_does_not_wait_for_ever) {
  // The transaction that ends a job brings one that depends on it: it is released, now or at once.
  const JobId a = store_.submit();
  record_end(a, 0);
  const JobId next = store_.submit(Scenario::jobspec(
      1, 1, R"("dependencies":[{"scheme":"afterok","value":")" + notation::to_f58(a) + R"("}])"));
  EXPECT_EQ(store_.states({a, next}), "CD R");
}

TEST_F(Inbox, who_is_submitted_with_the_start_of_another_learns_of_it) {
  // `after`: the pass that starts the job runs in the transaction in which the other one is submitted.
  const JobId first = store_.submit(4), second = store_.submit(4);
  record_end(first, 0);
  const JobId next = store_.submit(Scenario::jobspec(
      1, 1, R"("dependencies":[{"scheme":"after","value":")" + notation::to_f58(second) + R"("}])"));
  EXPECT_EQ(store_.states({first, second, next}), "CD R S");
}

TEST_F(Inbox, only_what_is_announced_is_ended) {
  // A shell that lives and has not asked is left alone; a note without a recorded end ends nothing.
  const JobId a = store_.submit(), b = store_.submit();
  record_end(a, 0, /*announce=*/false);
  announce_end(files_, b);
  store_.tick();
  EXPECT_EQ(store_.states({a, b}), "R R");
  EXPECT_EQ(files_.inbox_ids(), std::vector{b});
}

TEST_F(Inbox, large_files_are_left_to_the_shell) {
  // What must be moved and summed is not done under the lock, before the note or after it.
  const JobId a = store_.submit(), b = store_.submit();
  write_file(files_.output(a), std::string(kMaxImportBytes + 1, 'x'));
  record_end(a, 0);
  EXPECT_TRUE(files_.inbox_ids().empty());
  record_end(b, 0);
  write_file(files_.output(b), std::string(kMaxImportBytes + 1, 'x'));
  store_.tick();
  EXPECT_EQ(store_.states({a, b}), "R R");
}

TEST_F(Inbox, notes_on_jobs_that_have_ended_go_away) {
  // As those of jobs that never were.
  const JobId a = store_.submit();
  announce_end(files_, a);
  store_.finish(a);
  write_file(files_.inbox({12345}), "");
  write_file(files_.inbox_dir() + "/not an id", "");
  store_.tick();
  EXPECT_TRUE(files_.inbox_ids().empty());
}

}  // namespace
}  // namespace fq::manager
