// Doors, into this process and to another: what is asked is answered from the store, refused as the manager
// does, and what goes on in jobs is followed.

#include "door/door.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "base/file.h"
#include "door/attended.h"
#include "door/greeting.h"
#include "door/local_door.h"
#include "door/remote_door.h"
#include "door/told.h"
#include "manager/core/change.h"
#include "manager/jobs/finish.h"
#include "manager/run/guest.h"
#include "meeting/wake.h"
#include "support/error_text.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

enum class Way { local, remote };

class DoorTest : public testing::TestWithParam<Way> {
 protected:
  [[nodiscard]] const door::Door& door() { return *door_; }

  // More than fits into a frame, or a pipe.
  static std::string output_of(notation::JobId id) {
    return std::string(200000, id.value % 2 == 0 ? 'a' : 'b');
  }
  void finish_with_output(notation::JobId id) {
    const meeting::JobFiles files = s.session.files();
    files.create_guest(id);
    write_file(files.output(id), output_of(id));
    manager::transact(s.session, [&](manager::Change& change) {
      manager::FinishRequest end{id, s.launcher.shells.at(id).plan.attempt, 0, {}, change.now(), {}};
      end.guest = manager::collect_guest(files, id);
      manager::finish_job(change, end);
    });
    s.launcher.shells.erase(id);
  }

  Scenario s;
  Attended attended_{s};
  std::unique_ptr<door::Door> door_ = make();

 private:
  std::unique_ptr<door::Door> make() {
    if (GetParam() == Way::local) return std::make_unique<door::LocalDoor>(s.session);
    return std::make_unique<door::RemoteDoor>([this] { return door::FrameChannel{attended_.connect()}; },
                                              [] { return std::vector<std::string>{"/nonexistent"}; },
                                              door::Greeting{"fq-test", 30, false}, door::Told{}, s.clock);
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, DoorTest, testing::Values(Way::local, Way::remote),
                         [](const auto& way) { return way.param == Way::local ? "local" : "remote"; });

TEST_P(DoorTest, answers_with_a_reply_rows_or_an_error) {
  const door::Door& door = this->door();
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

TEST_P(DoorTest, an_error_of_one_job_of_several_says_which) {
  const door::Door& door = this->door();
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

TEST_P(DoorTest, rows_are_given_as_long_as_they_are_wanted_and_once_more) {
  // Of many: the first pass is broken off.
  request::JobGroup group;
  group.jobspec = request::JobspecTemplate::plain(Scenario::jobspec());
  group.copies = notation::Idset::from_range(1, 1000);
  static_cast<void>(door().ask(request::SubmitRequest{{group}}));
  std::size_t rows_given = 0, passes = 0;
  request::JobListRows rows;
  rows.begin = [](request::JobListHead&&) {};
  rows.row = [&](request::ListedJob&&) { return ++rows_given != 3; };
  rows.again = [&] { return passes++ == 0; };
  door().ask(request::JobListRequest{}, rows);
  EXPECT_EQ(passes, 2U);
  EXPECT_EQ(rows_given, 3U + 1000U);
  EXPECT_EQ(door().ask(request::LastJobsRequest{door().userid(), 1}).ids.size(), 1U);
}

TEST_P(DoorTest, streams_of_a_reply_are_read_in_any_order_or_not_at_all) {
  // And other questions come between.
  const notation::JobId id = s.submit(), other = s.submit();
  for (const notation::JobId job : {id, other}) finish_with_output(job);
  request::FollowRequest follow;
  follow.id = id;
  follow.logs = {{"output"}, {"no-such"}, {"output"}};
  request::FollowReply reply = door().ask(follow);
  const std::string log = output_of(id);
  static_cast<void>(door().ask(follow));
  EXPECT_EQ(door().ask(request::guest_document(other, "output")).bytes->read_all(), output_of(other));
  ASSERT_EQ(reply.logs.size(), 3U);
  EXPECT_FALSE(reply.logs[1]);
  EXPECT_EQ(reply.logs[2]->read_all(), log);
  EXPECT_EQ(reply.logs[0]->read_all(), log);
}

TEST_P(DoorTest, a_waiter_wakes_for_its_jobs_its_input_and_its_time) {
  const notation::JobId id = s.submit();
  const auto waiter = door().waiter(std::span(&id, 1));
  EXPECT_TRUE(waiter->jobs_may_have_changed());
  EXPECT_FALSE(waiter->wait(0));
  meeting::touch_waiters(s.session.files(), std::span(&id, 1));
  EXPECT_TRUE(waiter->wait(60));
  EXPECT_TRUE(waiter->jobs_may_have_changed());
  waiter->watch_guest();
  EXPECT_FALSE(waiter->wait(0));
  meeting::touch_followers(s.session.files(), id, s.session.caller.uid);
  EXPECT_TRUE(waiter->wait(60));
  EXPECT_FALSE(waiter->jobs_may_have_changed());
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const UniqueFd in(ends[0]), out(ends[1]);
  waiter->watch_input(in.get());
  ASSERT_EQ(::write(out.get(), "x", 1), 1);
  EXPECT_TRUE(waiter->wait(60));
  EXPECT_TRUE(waiter->input_ready());
}

TEST_P(DoorTest, guest_files_are_read_as_they_grow_and_input_is_written) {
  const notation::JobId id = s.submit();
  s.session.files().create_guest(id);
  const auto file = door().guest_file(id, "output");
  file->try_open();
  EXPECT_FALSE(file->is_open());
  EXPECT_EQ(file->read_more(), "");
  std::ofstream output(s.session.files().output(id));
  output << "one" << std::flush;
  file->try_open();
  ASSERT_TRUE(file->is_open());
  EXPECT_EQ(file->read_more(), "one");
  output << "two" << std::flush;
  EXPECT_EQ(file->read_more(), "two");
  EXPECT_EQ(file->read_more(), "");
  output.close();
  std::filesystem::remove(s.session.files().output(id));
  const auto input = door().input(id, notation::Idset::from_range(0, 0), {});
  ASSERT_TRUE(input);
  input->write("typed");
  input->close();
  std::ifstream written(s.session.files().input(id));
  const std::string log((std::istreambuf_iterator<char>(written)), {});
  EXPECT_NE(log.find("typed"), std::string::npos);
  EXPECT_NE(log.find("\"eof\":true"), std::string::npos);
  EXPECT_FALSE(door().terminal(id));
}

/// An end that greets and takes a question, says so if it has begun, and is gone.
UniqueFd connect_to_who_is_ended(std::vector<std::thread>& threads, bool begins) {
  int ends[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  threads.emplace_back([end = ends[1], begins] {
    door::FrameChannel channel{UniqueFd{end}};
    static_cast<void>(channel.receive());
    channel.send('H', door::encode_welcome({::getuid(), ""}));
    static_cast<void>(channel.receive());
    if (begins) {
      door::tell_by_text([&](std::string_view text) { channel.send('T', text); }).notices.begins();
      channel.flush();
    }
  });
  return UniqueFd{ends[0]};
}

TEST(RemoteDoorTest, asks_once_more_where_who_answers_went_before_it_began) {
  Scenario s;
  std::vector<std::thread> threads;
  {
    Attended attended(s);
    request::JobGroup group;
    group.jobspec = request::JobspecTemplate::plain(Scenario::jobspec());
    for (const bool begins : {false, true}) {
      bool first = true;
      const door::RemoteDoor door(
          [&] {
            return door::FrameChannel{std::exchange(first, false) ? connect_to_who_is_ended(threads, begins)
                                                                  : attended.connect()};
          },
          [] { return std::vector<std::string>{"/nonexistent"}; }, door::Greeting{"fq-test", 30, false},
          door::Told{}, s.clock);
      // What was begun may be done.
      if (begins) {
        EXPECT_THROW(static_cast<void>(door.ask(request::SubmitRequest{{group}})), door::Gone);
      } else {
        EXPECT_EQ(door.ask(request::SubmitRequest{{group}}).ids.size(), 1U);
      }
    }
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace fq::test
