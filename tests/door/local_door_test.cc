// The door into this process: what is asked is answered from the store, and refused as the manager does.

#include "door/local_door.h"

#include <gtest/gtest.h>

#include "support/scenario.h"

namespace fq::test {
namespace {

TEST(LocalDoor, answers_with_a_reply_rows_or_an_error) {
  Scenario s;
  const door::LocalDoor door(s.session);
  request::JobGroup group;
  group.jobspec = request::JobspecTemplate::plain(Scenario::jobspec());
  const auto ids = door.ask(request::SubmitRequest{{group, group}}).ids;
  ASSERT_EQ(ids.size(), 2U);
  EXPECT_EQ(door.ask(request::FindJobRequest{ids[1]}).job.id, ids[1]);
  EXPECT_EQ(door.userid(), s.session.caller.uid);

  std::vector<notation::JobId> listed;
  int heads = 0;
  request::JobListRows rows;
  rows.begin = [&](request::JobListHead&&) { ++heads; };
  rows.row = [&](request::ListedJob&& job) {
    listed.push_back(job.job.id);
    return true;
  };
  door.ask(request::JobListRequest{}, rows);
  EXPECT_EQ(heads, 1);
  EXPECT_EQ(listed.size(), 2U);

  EXPECT_EQ(
      door.ask(request::DocumentRequest{ids[0], "jobspec", request::JobspecForm::original}).bytes->read_all(),
      s.document(ids[0], "jobspec"));
  EXPECT_FALSE(door.ask(request::guest_document(ids[0], "input")).bytes);
  EXPECT_THROW(static_cast<void>(door.ask(request::FindJobRequest{notation::JobId{7}})), Error);
}

TEST(LocalDoor, an_error_of_one_job_of_several_says_which) {
  Scenario s;
  const door::LocalDoor door(s.session);
  request::JobGroup good, bad;
  good.jobspec = request::JobspecTemplate::plain(Scenario::jobspec());
  bad.jobspec = request::JobspecTemplate::plain(Scenario::jobspec(1, 1, R"("queue":"debg")"));
  try {
    static_cast<void>(door.ask(request::SubmitRequest{{good, bad}}));
    ADD_FAILURE() << "taken";
  } catch (const request::JobError& failure) {
    EXPECT_EQ(failure.place(), 1U);
    EXPECT_TRUE(failure.before().empty());
    EXPECT_EQ(std::string{failure.naming("line 2").what()}, fmt::format("line 2: {}", failure.what()));
  }
  request::JobGroup torn;
  torn.jobspec.pieces = {"{", "}"};
  EXPECT_THROW(static_cast<void>(door.ask(request::SubmitRequest{{torn}})), Error);
}

}  // namespace
}  // namespace fq::test
