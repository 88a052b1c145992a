// Waitable jobs: each result is taken once, by its own user.

#include "manager/look/wait.h"

#include <gtest/gtest.h>

#include "support/scenario.h"

namespace fq::test {
namespace {

using notation::JobId;

class Waitable : public testing::Test {
 protected:
  JobId submit(std::uint32_t flags = job::kFlagWaitable) {
    request::JobGroup request;
    request.jobspec = request::JobspecTemplate::plain(Scenario::jobspec());
    request.flags = flags;
    return manager::submit(s.session, {request}).at(0);
  }
  // The ids that one call takes; "none" when no waitable job is left, "waiting" when it would have to wait.
  std::string take(std::size_t most = 10) {
    const auto jobs = manager::wait_waitable(s.session, most, 0);
    if (!jobs) return "waiting";
    std::string out;
    for (const job::Job& job : *jobs) out += (out.empty() ? "" : " ") + notation::to_f58(job.id);
    return out.empty() ? "none" : out;
  }
  static std::string text(std::initializer_list<JobId> ids) {
    std::string out;
    for (const JobId id : ids) out += (out.empty() ? "" : " ") + notation::to_f58(id);
    return out;
  }

  Scenario s;
};

TEST_F(Waitable, results_come_in_the_order_of_the_ends_and_once) {
  // Jobs without the flag never come.
  const JobId a = submit(), b = submit(), other = submit(0), c = submit();
  EXPECT_EQ(take(), "waiting");
  s.finish(other);
  s.finish(b);
  s.clock.advance(1);
  s.finish(a, 256);
  EXPECT_EQ(take(1), text({b}));
  s.clock.advance(1);
  s.finish(c);
  EXPECT_EQ(take(), text({a, c}));
  EXPECT_EQ(take(), "none");
}

TEST_F(Waitable, a_result_that_was_taken_by_id_is_not_given_again) {
  const JobId a = submit(), b = submit();
  s.finish(a);
  s.finish(b);
  manager::take_result(s.session, a);
  manager::take_result(s.session, a);
  EXPECT_EQ(take(), text({b}));
}

TEST_F(Waitable, users_take_their_own_results_only) {
  // Another's job is neither waited for nor taken, even when its id is waited for.
  const JobId mine = submit();
  s.session.caller = {4711, 4711};
  const JobId theirs = submit();
  s.finish(mine);
  EXPECT_EQ(take(), "waiting");
  manager::take_result(s.session, mine);
  s.finish(theirs);
  EXPECT_EQ(take(), text({theirs}));
  EXPECT_EQ(take(), "none");
  s.session.caller = manager::Credential::of_process();
  EXPECT_EQ(take(), text({mine}));
}

}  // namespace
}  // namespace fq::test
