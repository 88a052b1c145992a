// When a scheduling pass runs, and when a submission can do without. That one would start nothing where none
// ran is checked at the end of every Scenario.

#include "manager/schedule_pass.h"

#include "manager/change.h"
#include "records/keys.h"
#include "support/scenario.h"

namespace fq::manager {
namespace {

using test::Scenario;

// A store whose node is taken, with a job that waits for it.
class SchedulePass : public testing::Test {
 protected:
  SchedulePass() { forget_reason(); }

  /// Every pass notes why the first job waits: whether one has run since the last call.
  bool has_run() {
    bool noted = false;
    query(s.session, [&](const store::Reader& reader) {
      noted = reader.get(store::Family::instance, records::key::annotation(waiting)).has_value();
    });
    if (noted) forget_reason();
    return noted;
  }

  void forget_reason() {
    transact(s.session, [&](Change& change) {
      schedule_pass(change);
      change.only_adds_jobs();
      change.transaction().erase(store::Family::instance, records::key::annotation(waiting));
    });
  }

  Scenario s{1, 2};
  notation::JobId running = s.submit(Scenario::jobspec(2));
  notation::JobId waiting = s.submit(Scenario::jobspec(2));
};

TEST_F(SchedulePass, a_job_behind_its_like_needs_none) {
  // The first of its class did not start, so it does not either.
  s.submit(Scenario::jobspec(2));
  EXPECT_FALSE(has_run());
  s.finish(running);
  EXPECT_EQ(s.states({running, waiting}), "CD R");
}

TEST_F(SchedulePass, the_first_of_a_class_needs_one) {
  // Nobody has asked yet whether it fits.
  s.submit(Scenario::jobspec(1));
  EXPECT_TRUE(has_run());
}

TEST_F(SchedulePass, any_other_change_needs_one) {
  // What was canceled may have stood before others.
  const auto last = s.submit(Scenario::jobspec(2));
  EXPECT_FALSE(has_run());
  s.cancel(last);
  EXPECT_TRUE(has_run());
  s.tick();
  EXPECT_TRUE(has_run());
}

TEST_F(SchedulePass, one_that_did_not_come_to_its_end_is_due) {
  // The pass of a long request comes with its last step: who finds the store in between runs it.
  int steps = 0;
  transact_steps(s.session, {[&](Change& change) {
                   change.only_adds_jobs();
                   EXPECT_EQ(change.pass_is_due(), steps > 0);
                   return ++steps < 2;
                 }});
  transact(s.session, [](Change& change) {
    change.only_adds_jobs();
    EXPECT_FALSE(change.pass_is_due());
  });
}

}  // namespace
}  // namespace fq::manager
