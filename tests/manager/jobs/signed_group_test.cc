// Submission where jobs run as their users: what these signed is verified, kept, and what runs.

#include "manager/jobs/signed_group.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "manager/core/change.h"
#include "manager/engine/signatures.h"
#include "manager/jobs/update.h"
#include "manager/run/start.h"
#include "signature/keys.h"
#include "signature/signed_request.h"
#include "support/error_text.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

using notation::JobId;
using request::JobGroup;

class SignedGroups : public testing::Test {
 protected:
  static constexpr std::uint32_t kUser = 2000;

  SignedGroups() : s(manager::Credential{1000, 1000}), key_(signature::SecretKey::make()) {
    signatures_ = {"fq", directory_.path() + "/imp.pub", directory_.path() + "/machine-id"};
    write_file(signatures_.public_keys, signature::public_keys_text({key_.public_key()}));
    write_file(signatures_.machine, "0123456789abcdef\n");
    s.session.caller = {kUser, kUser};
    s.session.signatures = &signatures_;
  }

  // A request for the group that nothing is wrong with.
  [[nodiscard]] signature::SignedRequest request_for(const JobGroup& group) const {
    const request::SignedForm form(group);
    signature::SignedRequest request;
    request.userid = kUser;
    request.user = "alice";
    request.store = "fq";
    request.machine = "0123456789abcdef";
    request.time = static_cast<std::int64_t>(s.clock.now());
    request.expiry = request.time + 60;
    request.nonce = "00112233445566778899aabbccddeeff";
    request.count = form.count();
    request.root = form.root();
    request.payload = form.payload();
    return request;
  }
  [[nodiscard]] JobGroup sign(JobGroup group) const {
    group.J = signature::sign(request_for(group), key_);
    return group;
  }
  static JobGroup one() {
    JobGroup group;
    group.jobspec = request::JobspecTemplate::plain(Scenario::jobspec(1, 1, R"("duration":60)"));
    return group;
  }
  // Two rows of three copies that differ in their working directory.
  static JobGroup many() {
    JobGroup group;
    group.jobspec.pieces = {R"({"version":1,"resources":[{"type":"slot","count":1,"label":"task","with":)"
                            R"([{"type":"core","count":1}]}],"tasks":[{"command":["true"],"slot":"task",)"
                            R"("count":{"per_slot":1}}],"attributes":{"system":{"duration":60,"cwd":)",
                            "}}}"};
    group.rows = {{{{R"("/a)", R"(/x")"}}}, {{{R"("/b")"}}}};
    group.copies = notation::Idset::decode("2,4,7");
    return group;
  }
  std::vector<JobId> submit(const JobGroup& group) { return manager::submit(s.session, {group}); }
  std::string refusal(const JobGroup& group) {
    return error_text([&] { return submit(group); });
  }
  // The jobspec of a job is the very text that its user signed for it.
  void expect_signed(JobId id) {
    std::optional<meeting::SignedStart> start;
    manager::transact(s.session, [&](manager::Change& change) {
      start = records::read_signed_request(change.transaction(), id)
                  ? manager::launch_plan(change, id).signed_start
                  : std::nullopt;
    });
    ASSERT_TRUE(start);
    EXPECT_EQ(start->store, "fq");
    const signature::SignedRequest request =
        signature::verify(start->J, {key_.public_key()}, static_cast<std::int64_t>(s.clock.now()));
    EXPECT_EQ(signature::jobspec_of(request, start->index, start->values, start->proof),
              s.document(id, "jobspec"));
    EXPECT_EQ(s.document(id, "J"), start->J);
  }

  Scenario s;
  TempDirectory directory_;
  signature::SecretKey key_;
  manager::Signatures signatures_;
};

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
