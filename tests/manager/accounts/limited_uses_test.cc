// Limits of qualities of service, of users in queues, and budgets of a month.

#include "records/limited_uses.h"

#include "base/civil_month.h"
#include "manager/accounts/accounts_fixture.h"
#include "manager/check/fsck.h"
#include "manager/check/repair.h"
#include "priority/account_limits.h"
#include "records/keys.h"
#include "store/rocks/database.h"
#include "store/store_lock.h"

namespace fq::test {
namespace {

using priority::AccountLimits;

class LimitedUses : public Accounts {
 protected:
  std::string found() {
    std::string out;
    manager::fsck(s.session, [&](const std::string& line) { out += line + "\n"; });
    return out;
  }
  static std::string of(const std::string& qos, const std::string& duration = {}) {
    return fmt::format(R"("qos":"{}"{})", qos, duration.empty() ? "" : R"(,"duration":)" + duration);
  }
  // To the beginning of the next month, as UTC has it, or so much before it.
  void next_month(double before_s = 0) {
    const double now = s.clock.now();
    s.clock.advance(month_of(now, "UTC").end - before_s - now);
    s.tick();
  }
  void budget(const std::string& bank, std::int64_t core_hours) {
    BankEdit limited;
    limited.name = bank;
    limited.limits = {{&AccountLimits::core_hours, core_hours}};
    ASSERT_EQ(edit([&](AccountBook& book) { book.edit_bank(limited); }), "no error");
  }
};

TEST_F(LimitedUses, of_a_quality_of_service_hold_for_all_its_jobs_together) {
  ASSERT_EQ(load("[qos.standby]\nlimits = { max-running-jobs = 1, max-active-jobs = 3 }\n"), "no error");
  const JobId one = s.submit(spec(of("standby")));
  const JobId two = as("ada", [&] { return s.submit(spec(of("standby"))); });
  const JobId other = s.submit(spec(""));
  EXPECT_EQ(s.states({one, two, other}), "R S R");
  EXPECT_EQ(why(two), "QoS 'standby' has 1 running job, at most 1 may run; it is the next job in the queue");
  const JobId three = s.submit(spec(of("standby")));
  EXPECT_EQ(refusal(of("standby")), "QoS 'standby' has 3 active jobs already, at most 3 may be active");
  s.finish(one);
  EXPECT_EQ(s.states({two, three}), "R S");
  EXPECT_EQ(found(), "");
}

TEST_F(LimitedUses, of_an_association_in_a_queue_hold_for_each_user) {
  ASSERT_EQ(load(R"(
[queues.a]
policy.limits.per-association = { max-cores = 3, max-active-jobs = 2 }
[queues.b]
[policy.jobspec.defaults.system]
queue = "b"
)"),
            "no error");
  const JobId one = submit_as("ada", in("a"), 2), two = submit_as("ada", in("a"), 2);
  const JobId elsewhere = submit_as("ada", in("b"), 2), of_bob = submit_as("bob", in("a"), 2);
  EXPECT_EQ(s.states({one, two, elsewhere, of_bob}), "R S R R");
  EXPECT_EQ(
      why(two),
      "its user in queue 'a' has 2 cores in use, at most 3 may be, and it asks for 2; it is the next job in "
      "the queue");
  EXPECT_EQ(refusal_as("ada", in("a"), 1),
            "user 'ada' in queue 'a' has 2 active jobs already, at most 2 may be active");
  EXPECT_EQ(refusal_as("bob", in("a"), 4),
            "its user in queue 'a' may have 3 cores in use at most, and it asks for 4");
  s.finish(one);
  EXPECT_EQ(s.states({two}), "R");
  EXPECT_EQ(found(), "");
}

TEST_F(LimitedUses, that_are_loaded_while_jobs_run_count_these) {
  const JobId before = s.submit(spec("", 2));
  ASSERT_EQ(load("policy.limits.per-association.max-running-jobs = 1\n"), "no error");
  EXPECT_EQ(found(), "");
  const JobId after = s.submit(spec(""));
  EXPECT_EQ(s.states({before, after}), "R S");
  EXPECT_EQ(why(after), "its user has 1 running job, at most 1 may run; it is the next job in the queue");
  // Without limits nothing of them is left.
  ASSERT_EQ(load(""), "no error");
  EXPECT_EQ(s.states({after}), "R");
  manager::query(s.session,
                 [](const store::Reader& reader) { EXPECT_EQ(records::use_keys(reader).size(), 0U); });
  s.finish(before);
  EXPECT_EQ(found(), "");
}

TEST_F(LimitedUses, a_job_without_end_that_no_budget_holds_keeps_nobody_waiting) {
  // It counts until the month ends, and waits for that; others under the same budget go on, those behind one
  // that others could make room for wait behind it, and are told of it.
  add_bank("physics", 1);
  add_user(user("ada", "physics"));
  next_month();
  budget("physics", 4);
  const JobId endless = submit_as("ada", "", 1), one = submit_as("ada", R"("duration":3600)", 2);
  EXPECT_EQ(s.states({endless, one}), "S R");
  EXPECT_EQ(why(endless).substr(0, 60), "bank 'physics' has used 0.0 of 4 core-hours this month, runn");
  EXPECT_NE(why(endless).find(", for it has no time limit, and counts until the month ends; "),
            std::string::npos);
  const JobId large = submit_as("ada", R"("duration":7200)", 2),
              small = submit_as("ada", R"("duration":36)", 1);
  EXPECT_EQ(s.states({large, small}), "S S");
  const std::string behind = fmt::format(
      "bank 'physics' has used 0.0 of 4 core-hours this month, running jobs may use 2.0 more, and job {}, "
      "which "
      "comes before it, asks for 4.0",
      large);
  EXPECT_NE(why(small).find(behind), std::string::npos) << why(small);
  // In the last hours of the month the endless one fits, and a pass is due then.
  s.cancel(large);
  EXPECT_EQ(s.states({small}), "R");
  s.finish(one);
  s.finish(small);
  next_month(/*before_s=*/3.0 * 3600);
  EXPECT_EQ(s.states({endless}), "R");
  s.finish(endless);
  EXPECT_EQ(found(), "");
}

TEST_F(LimitedUses, a_budget_lets_jobs_wait_for_the_month_to_begin) {
  add_bank("physics", 1);
  add_user(user("ada", "physics"));
  next_month();
  budget("physics", 4);
  // Two cores for an hour: two core-hours, as long as it runs only claimed.
  const JobId one = submit_as("ada", R"("duration":3600)", 2),
              two = submit_as("ada", R"("duration":7200)", 2);
  EXPECT_EQ(s.states({one, two}), "R S");
  EXPECT_EQ(why(two),
            "bank 'physics' has used 0.0 of 4 core-hours this month, running jobs may use 2.0 more, and it "
            "asks for "
            "4.0; it is the next job in the queue");
  EXPECT_EQ(refusal_as("ada", R"("duration":36000)", 1),
            "bank 'physics' may use 4 core-hours a month at most, and it asks for 10.0");
  s.clock.advance(900);
  s.finish(one);
  EXPECT_EQ(s.states({two}), "S");
  EXPECT_EQ(why(two),
            "bank 'physics' has used 0.5 of 4 core-hours this month, and it asks for 4.0; it is the next job "
            "in the "
            "queue");
  // Nothing but time starts it.
  next_month();
  EXPECT_EQ(s.states({two}), "R");
  s.clock.advance(3600);
  s.finish(two);
  EXPECT_NEAR(request::require_bank_node(tree(), "physics").month_core_seconds, 7200, 1);
  EXPECT_EQ(found(), "");
}

TEST_F(LimitedUses, what_a_job_gives_back_early_or_is_credited_is_there_at_once) {
  add_bank("physics", 1);
  add_user(user("ada", "physics"));
  next_month();
  budget("physics", 4);
  const JobId one = submit_as("ada", R"("duration":14000)", 1),
              two = submit_as("ada", R"("duration":3600)", 1);
  EXPECT_EQ(s.states({one, two}), "R S");
  EXPECT_EQ(update(one, R"({"attributes.system.duration":3600})"), "");
  s.tick();
  EXPECT_EQ(s.states({two}), "R");
  s.clock.advance(3600);
  s.finish(one);
  s.finish(two);
  const JobId three = submit_as("ada", R"("duration":14000)", 1);
  EXPECT_EQ(s.states({three}), "S");
  EXPECT_EQ(edit([&](AccountBook& book) {
              book.charge({"ada", "physics", {-7200}, s.clock.now()});
            }),
            "no error");
  EXPECT_EQ(s.states({three}), "R");
}

TEST_F(LimitedUses, a_budget_may_refuse) {
  ASSERT_EQ(load("[accounting]\nover-budget = \"refuse\"\n"), "no error");
  add_bank("physics", 1);
  add_user(user("ada", "physics"));
  budget("physics", 2);
  const JobId one = submit_as("ada", R"("duration":3600)", 1);
  EXPECT_EQ(s.states({one}), "R");
  EXPECT_EQ(refusal_as("ada", R"("duration":7200)", 1),
            "bank 'physics' has used 0.0 of 2 core-hours this month, running jobs may use 1.0 more, and it "
            "asks for "
            "2.0");
  EXPECT_EQ(refusal_as("ada", R"("duration":3600)", 1), "no error");
}

TEST_F(LimitedUses, that_were_damaged_are_made_good) {
  ASSERT_EQ(load("[qos.standby]\nlimits = { max-running-jobs = 1 }\n"), "no error");
  const JobId one = s.submit(spec(of("standby"), 2));
  {
    const auto lock = store::StoreLock::acquire(s.session.store, 10, "test");
    auto database = store::rocks::Database::open(store::database_path(s.session.store), /*create=*/false);
    store::rocks::Transaction transaction = database.begin();
    transaction.erase(store::Family::instance, records::key::use_of_qos("standby"));
    transaction.commit();
    database.close();
  }
  EXPECT_EQ(found(), "QoS 'standby': there is no record of what is in use\n");
  manager::repair(s.session, manager::aside_directory(s.session), [](const std::string&) {});
  EXPECT_EQ(found(), "");
  const JobId two = s.submit(spec(of("standby")));
  EXPECT_EQ(s.states({one, two}), "R S");
}

}  // namespace
}  // namespace fq::test
