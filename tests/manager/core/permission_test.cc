// Who may do what: to jobs their user, to all there is the owner of the store and its operators, nobody else.

#include "manager/core/permission.h"

#include <gtest/gtest.h>

#include "manager/engine/serve.h"
#include "manager/jobs/cancel.h"
#include "manager/jobs/kill.h"
#include "manager/jobs/purge.h"
#include "manager/jobs/urgency.h"
#include "manager/site/configure.h"
#include "manager/site/queue_admin.h"
#include "request/table.h"
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

// What a request of user 2000, who is in the groups users and staff, is refused with under this
// configuration; empty: it is not.
class Operators : public Permission {
 protected:
  static constexpr auto kNoError = "no error";
  static constexpr auto kHint =
      " (an operator chooses among the programs, with their arguments, of the configuration in force)";

  void configure(const std::string& toml) {
    as(kOwner);
    static_cast<void>(manager::load_config(s.session, document::ConfigSource({{"fq.toml", toml}}), true));
  }
  void as_user() {
    as(kUser);
    s.session.caller.names =
        std::make_shared<const process::Names>(process::Names{"ada", {"users", "staff"}});
  }
  std::string loading(const std::string& toml) {
    as_user();
    return error_text([&] {
      static_cast<void>(manager::load_config(s.session, document::ConfigSource({{"fq.toml", toml}}), true));
    });
  }
  std::string stopping() {
    as_user();
    return error_text([&] { static_cast<void>(manager::set_queue(s.session, {})); });
  }
};

TEST_F(Operators, are_users_by_name_and_members_of_groups) {
  EXPECT_EQ(stopping(), "only the owner may start a queue");
  for (const char* list : {R"("ada")", R"("@staff")", R"("bob", "@users")"}) {
    configure(fmt::format("access.operators = [{}]", list));
    EXPECT_EQ(stopping(), kNoError) << list;
  }
  for (const char* list : {R"("@ada")", R"("staff")", R"("ad", "@staf")", R"("2000")"}) {
    configure(fmt::format("access.operators = [{}]", list));
    EXPECT_EQ(stopping(), "only the owner or an operator may start a queue") << list;
  }
}

TEST_F(Operators, do_to_jobs_of_others_what_the_owner_may) {
  configure(R"(access.operators = ["ada"])");
  const JobId theirs = submit_as(kOther);
  as_user();
  EXPECT_EQ(only(manager::set_urgency(s.session, {{theirs}, 31}).refusals), "");
  EXPECT_EQ(s.job(theirs).priority, job::kPriorityMax);
  manager::RaiseRequest request;
  request.selection = request::JobFilter{};
  EXPECT_EQ(manager::raise(s.session, request).count, 1U);
}

TEST_F(Operators, are_asked_for_by_name_only_where_jobs_of_others_are_named) {
  // Where serve meets the question it looks the names up: user 2000 has none here, and is not ada.
  configure(R"(access.operators = ["ada"])");
  const JobId mine = submit_as(kUser), theirs = submit_as(kOther);
  as(kUser);
  EXPECT_EQ(only(manager::set_urgency(s.session, {{mine}, 0}).refusals), "");
  request::BulkReply<request::UrgencyChange> reply;
  const request::UrgencyRequest request{{mine, theirs}, 9};
  manager::serve(s.session, request::kKindOf<request::UrgencyRequest>, &request, &reply, nullptr);
  EXPECT_EQ(only(reply.refusals), fmt::format("job {} belongs to user 3000", notation::to_f58(theirs)));
  ASSERT_EQ(reply.done.size(), 1U);
  EXPECT_EQ(reply.done[0].before, 0);
}

TEST_F(Operators, choose_among_the_programs_that_the_owner_named) {
  const std::string programs = R"(access.operators = ["ada"]
[job-manager.prolog]
command = ["/bin/true", "a"]
)";
  configure(programs);
  EXPECT_EQ(loading(programs + "timeout = \"5m\"\n"), kNoError);
  EXPECT_EQ(loading(programs + "[job-manager.epilog]\ncommand = [\"/bin/true\", \"a\"]\n"), kNoError);
  EXPECT_EQ(loading(programs + "[job-manager.epilog]\ncommand = [\"/bin/true\", \"b\"]\n"),
            std::string{"only the owner may have '/bin/true b' run"} + kHint);
  EXPECT_EQ(loading(programs + "[queues.a.policy]\nscheduler.command = [\"/bin/false\"]\n"),
            std::string{"only the owner may have '/bin/false' run"} + kHint);
  EXPECT_EQ(loading("access.operators = [\"ada\", \"bob\"]\n"), "only the owner may change access");
  EXPECT_EQ(loading("[queues.a]\n"), "only the owner may change access");
}

TEST_F(Operators, write_no_files_as_the_owner) {
  configure(R"(access.operators = ["ada"])");
  as_user();
  request::PurgeRequest request;
  request.num_limit = 0;
  EXPECT_EQ(error_text([&] { static_cast<void>(manager::purge(s.session, request)); }), kNoError);
  request.archive = "archive";
  EXPECT_EQ(error_text([&] { static_cast<void>(manager::purge(s.session, request)); }),
            "only the owner may write an archive");
}

}  // namespace
}  // namespace fq::test
