// Submission where jobs run as their users: what these signed is verified, kept, and what runs.

#include "manager/jobs/signed_group.h"

#include <gtest/gtest.h>

#include "manager/jobs/signed_fixture.h"
#include "manager/jobs/update.h"

namespace fq::test {
namespace {

using notation::JobId;
using request::JobGroup;

class SignedGroups : public SignedStore {};

TEST_F(SignedGroups, R16_3_a_job_has_the_J_that_its_user_signed) {
  // And runs by it: one job alone, and each of many under one signature.
  const JobId alone = submit(sign(one())).at(0);
  expect_signed(alone);
  EXPECT_TRUE(s.launcher.shells.at(alone).plan.signed_start);
  s.finish(alone);
  const std::vector<JobId> jobs = submit(sign(many()));
  ASSERT_EQ(jobs.size(), 6U);
  for (const JobId id : jobs) {
    expect_signed(id);
    if (s.job(id).state == job::State::run) s.finish(id);
  }
  while (!s.launcher.shells.empty()) s.finish(s.launcher.shells.begin()->first);
}

TEST_F(SignedGroups, R16_20_what_was_not_signed_so_is_refused) {
  EXPECT_EQ(refusal(one()), "jobs of user 2000 must be signed: they run as that user");
  const auto with = [&](const JobGroup& group, const std::function<void(signature::SignedRequest&)>& change) {
    signature::SignedRequest request = request_for(group);
    change(request);
    JobGroup signed_group = group;
    signed_group.J = signature::sign(request, key_);
    return refusal(signed_group);
  };
  EXPECT_EQ(with(one(), [](auto& request) { request.userid = 2001; }),
            "J is signed by user 2001, not by 2000");
  EXPECT_EQ(with(one(), [](auto& request) { request.store = "other"; }), "J is for the store 'other'");
  EXPECT_EQ(with(one(), [](auto& request) { request.machine = "ff"; }), "J is for another machine");
  EXPECT_EQ(with(one(), [](auto& request) { request.time -= 60, request.expiry -= 60; }),
            "the signature of J has expired");
  const std::string other = "J is not what was signed for these jobs";
  EXPECT_EQ(with(one(), [](auto& request) { request.payload += " "; }), other);
  EXPECT_EQ(with(many(), [](auto& request) { ++request.count; }), other);
  EXPECT_EQ(with(many(), [](auto& request) { request.root[7] ^= 1; }), other);
  // One row, copy or word more, fewer or other than was signed.
  const auto edited = [&](const std::function<void(JobGroup&)>& edit) {
    JobGroup group = sign(many());
    edit(group);
    return refusal(group);
  };
  EXPECT_EQ(edited([](JobGroup& group) { group.rows.pop_back(); }), other);
  EXPECT_EQ(edited([](JobGroup& group) { std::swap(group.rows[0], group.rows[1]); }), other);
  EXPECT_EQ(edited([](JobGroup& group) { group.rows[1][0].pieces[0] = R"("/c")"; }), other);
  EXPECT_EQ(edited([](JobGroup& group) { group.copies = notation::Idset::decode("2,4,8"); }), other);
  EXPECT_EQ(edited([](JobGroup& group) { group.copies = {}; }), other);
  EXPECT_EQ(edited([](JobGroup& group) { group.jobspec.pieces[1] = R"(,"x":1}}})"; }), other);
  // By a key that root does not know.
  JobGroup forged = one();
  forged.J = signature::sign(request_for(forged), signature::SecretKey::make());
  EXPECT_EQ(refusal(forged), "J is signed by a key that is not known here");
  EXPECT_EQ(s.faults(), "");
}

TEST_F(SignedGroups, what_tasks_are_made_from_cannot_be_changed_any_more) {
  // What has no effect on them can.
  static_cast<void>(submit(sign(one())));
  JobGroup waits = one();
  waits.urgency = 0;
  const JobId id = submit(sign(waits)).at(0);
  const auto update = [&](const std::string& updates) {
    manager::UpdateRequest request;
    request.ids = {id};
    request.updates = updates;
    const auto reply = manager::update_jobs(s.session, request);
    return reply.refusals.empty() ? "done" : std::string{reply.refusals.at(0).why.what()};
  };
  EXPECT_EQ(
      update(R"({"attributes.system.environment.PATH":"/mine"})"),
      fmt::format("job {} is signed: only its duration, queue, bank, project, QoS, constraints, name and "
                  "attributes.user can be changed; submit it anew",
                  id));
  EXPECT_EQ(
      update(R"({"attributes.system.duration":30,"attributes.system.job.name":"n","attributes.user.x":1})"),
      "done");
  s.cancel(id);
  while (!s.launcher.shells.empty()) s.finish(s.launcher.shells.begin()->first);
}

}  // namespace
}  // namespace fq::test
