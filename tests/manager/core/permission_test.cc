// Who may do what to whose jobs: the job's user and the owner of the store, nobody else.

#include "manager/core/permission.h"

#include <gtest/gtest.h>

#include "manager/jobs/kill.h"
#include "manager/jobs/urgency.h"
#include "support/error_text.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

using notation::JobId;

// A store whose owner is user 1000, with users 2000 and 3000.
class Permission : public testing::Test {
 protected:
  static constexpr std::uint32_t kOwner = 1000, kUser = 2000, kOther = 3000;

  Permission() : s(manager::Credential{kOwner, kOwner}) {}
  ~Permission() override {
    as(kOwner);
    while (!s.launcher.shells.empty()) s.finish(s.launcher.shells.begin()->first);
  }

  void as(std::uint32_t uid) { s.session.caller = {uid, uid}; }
  JobId submit_as(std::uint32_t uid, std::uint8_t urgency = 0) {
    as(uid);
    return s.submit(Scenario::jobspec(), urgency);
  }
  static std::string only(const std::vector<request::Refusal>& refusals) {
    std::string out;
    for (const auto& refusal : refusals) out += refusal.why.what();
    return out;
  }

  Scenario s;
};

TEST_F(Permission, a_user_changes_the_urgency_of_his_own_jobs_up_to_16) {
  // More is the owner's; jobs of others are refused one by one.
  const JobId mine = submit_as(kUser), theirs = submit_as(kOther);
  as(kUser);
  const auto reply = manager::set_urgency(s.session, {{mine, theirs}, 16});
  EXPECT_EQ(only(reply.refusals), fmt::format("job {} belongs to user 3000", notation::to_f58(theirs)));
  EXPECT_EQ(s.states({mine, theirs}), "R S");
  EXPECT_EQ(error_text([&] {
              static_cast<void>(manager::set_urgency(s.session, {{mine}, 17}));
            }),
            "urgency 17 is reserved for the owner: at most 16");
  EXPECT_EQ(error_text([&] { s.submit(Scenario::jobspec(), 31); }),
            "urgency 31 is reserved for the owner: at most 16");
}

TEST_F(Permission, the_owner_and_root_change_the_urgency_of_every_job) {
  const JobId a = submit_as(kUser), b = submit_as(kOther);
  as(kOwner);
  EXPECT_EQ(only(manager::set_urgency(s.session, {{a}, 31}).refusals), "");
  as(0);
  EXPECT_EQ(only(manager::set_urgency(s.session, {{b}, 20}).refusals), "");
  EXPECT_EQ(s.states({a, b}), "R R");
  EXPECT_EQ(s.job(a).priority, job::kPriorityMax);
  EXPECT_EQ(s.job(b).priority, 20U);
}

TEST_F(Permission, a_user_signals_his_own_jobs_only) {
  // A selection of all users' jobs passes those of others over.
  const JobId mine = submit_as(kUser, 16), theirs = submit_as(kOther, 16);
  as(kUser);
  manager::KillRequest request;
  request.ids = {mine, theirs};
  request.signal = 10;
  auto reply = manager::kill_jobs(s.session, request);
  EXPECT_EQ(reply.signaled, std::vector{mine});
  EXPECT_EQ(only(reply.refusals), fmt::format("job {} belongs to user 3000", notation::to_f58(theirs)));
  request.ids.clear();
  request.selection = request::JobFilter{};
  EXPECT_EQ(manager::kill_jobs(s.session, request).signaled, std::vector{mine});
  as(kOwner);
  EXPECT_EQ(manager::kill_jobs(s.session, request).signaled.size(), 2U);
}

TEST_F(Permission, a_user_raises_exceptions_on_his_own_jobs_only) {
  const JobId mine = submit_as(kUser), theirs = submit_as(kOther);
  as(kUser);
  manager::RaiseRequest request;
  request.ids = {mine, theirs};
  request.severity = 5;
  const auto reply = manager::raise(s.session, request);
  EXPECT_EQ(reply.done, std::vector{mine});
  EXPECT_EQ(only(reply.refusals), fmt::format("job {} belongs to user 3000", notation::to_f58(theirs)));
}

}  // namespace
}  // namespace fq::test
