// Doors, into this process and to another: what is asked is answered from the store, refused as the manager
// does, and what goes on in jobs is followed.

#include "door/door.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "base/file.h"
#include "door/attend.h"
#include "door/attended_jobs.h"
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

/// One end of a connection whose other end a thread attends to.
class Attended {
 public:
  explicit Attended(const Scenario& s) : session_(s.session) {}
  ~Attended() {
    for (std::thread& thread : threads_) thread.join();
  }
  Attended(const Attended&) = delete;
  Attended& operator=(const Attended&) = delete;

  UniqueFd connect() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    threads_.emplace_back([this, end = ends[1]] {
      try {
        door::attend(session_, UniqueFd{end});
      } catch (const Error& failure) {
        said_ = failure.what();
      }
    });
    return UniqueFd{ends[0]};
  }
  /// What the last that ended was ended with.
  [[nodiscard]] std::string said() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    return said_;
  }

 private:
  manager::Session session_;
  std::vector<std::thread> threads_;
  std::string said_;
};

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

/// Asks in frames of the test's own, and gives the letters of so many answers, with what is refused, and what
/// the answering end says at its own end.
std::string converse(const std::vector<std::pair<char, std::string>>& frames, std::size_t answers) {
  Scenario s;
  Attended attended(s);
  std::string came;
  {
    door::FrameChannel channel(attended.connect());
    for (const auto& [letter, text] : frames) channel.send(letter, text);
    channel.flush();
    for (; answers > 0; --answers) {
      const auto frame = channel.receive();
      if (!frame) break;
      came += frame->letter;
      if (frame->letter == 'E') {
        const std::string why = error_text([&] { request::throw_error(frame->text); });
        came += fmt::format("({})", why);
      }
    }
    channel.finish();
  }
  const std::string said = attended.said();
  return said.empty() ? came : came + "; " + said;
}

TEST(Welcome, the_store_that_is_signed_for_has_a_name) {
  // It is a word of what a shell on another machine runs.
  const auto of = [](const std::string& name) {
    return door::decode_welcome(R"({"protocol":1,"userid":1,"signs-for":")" + name + "\"}").signs_for;
  };
  EXPECT_EQ(of("a-store_1"), "a-store_1");
  for (const char* name : {"fq;id>/tmp/x;#", "$(id)", "a b", "-x y", ""})
    EXPECT_NE(error_text([&] { return of(name); }).find("expected the name of a store"), std::string::npos)
        << name;
}

TEST(Attend, what_is_no_question_is_refused) {
  // What is asked wrongly has an error for its answer, and the next question is answered; what is no frame of
  // who asks is the end.
  const std::pair<char, std::string> hello{'H', door::encode_greeting({"fq-test", 1, false})};
  const std::pair<char, std::string> good{'Q', "last-jobs\n{}"};
  EXPECT_EQ(converse({hello, good}, 2), "HR");
  EXPECT_EQ(converse({good}, 0), "; expected a greeting");
  EXPECT_EQ(converse({{'H', R"({"protocol":2})"}}, 1),
            "E(the other end speaks protocol 2, not 1: it is another version of fq)");
  EXPECT_EQ(converse({{'H', R"({"protocol":1,"command":"rm","damaged":false})"}}, 1),
            "E(greeting.command: expected the name of a command of fq)");
  EXPECT_EQ(converse({hello, {'Q', "config"}, {'Q', "confg\n{}"}, {'Q', "config\n{"}, good}, 5),
            "HE(expected the name of a request, and a line feed)E(there is no request 'confg')"
            "E(request: line 1, column 2: not valid JSON)R");
  EXPECT_EQ(converse({hello, {'L', ""}, {'L', "read 7"}, {'L', "read x"}, {'L', "dance 1"}, good}, 6),
            "HE(expected an operation)E('7' is nothing that stands here)E('read': expected a number, got 'x')"
            "E(there is no operation 'dance')R");
  EXPECT_EQ(converse({hello, {'R', "{}"}}, 1), "H; expected a question, got 'R'");
}

TEST(Attend, who_takes_no_answers_holds_no_lock) {
  // As many answers as the socket holds are not read, and then something is asked that takes the lock: who
  // has it waits for nobody.
  Scenario s;
  const std::string reply = door::FrameChannel::encode('R', "{}");
  std::size_t fit = 0;
  {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    const UniqueFd reads(ends[0]), writes(ends[1]);
    while (::send(writes.get(), reply.data(), reply.size(), MSG_DONTWAIT) > 0) ++fit;
  }
  Attended attended(s);
  door::FrameChannel channel(attended.connect());
  channel.send('H', door::encode_greeting({"fq-test", 1, false}));
  EXPECT_EQ(channel.receive()->letter, 'H');
  for (std::size_t i = 0; i < fit; ++i) channel.send('Q', "require-jobs\n{}");
  channel.send('Q', "update-priorities\n{}");
  channel.flush();
  EXPECT_EQ(attended.said(), "");
  for (std::size_t i = 0; i < fit; ++i) EXPECT_EQ(channel.receive()->text, "{}");
  EXPECT_FALSE(channel.receive());
}

TEST(Attend, what_names_a_request_or_an_operation_is_short) {
  // The words of it take more memory than it is long.
  const std::pair<char, std::string> hello{'H', door::encode_greeting({"fq-test", 1, false})};
  const std::pair<char, std::string> good{'Q', "last-jobs\n{}"};
  std::string words;
  for (int i = 0; i < 100'000; ++i) words += "row ";
  EXPECT_EQ(converse({hello, {'L', "watch 1 " + words}, {'Q', "last-jobs " + words + "\n{}"}, good}, 4),
            "HE(an operation in 400008 bytes is too long: at most 65536)"
            "E(expected the name of a request, and a line feed)R");
  EXPECT_EQ(converse({{'H', std::string(5000, ' ')}}, 0), "; 5000 bytes are too many at once: at most 4096");
}

TEST(Attend, who_waits_names_jobs_that_are_seen_and_makes_a_bounded_number_of_files) {
  // Of 64 jobs at once, and of twice as many in all; none of one that is no job.
  const std::pair<char, std::string> hello{'H', door::encode_greeting({"fq-test", 1, false})};
  EXPECT_EQ(converse({hello, {'L', "watch 1 7"}, {'L', "guest 1"}}, 3),
            "HE(job ƒ8 does not exist)E('1' is nothing that stands here)");
  std::string many;
  for (std::size_t i = 0; i <= door::Waiter::kMostNamed; ++i) many += fmt::format(" {}", i);
  EXPECT_EQ(converse({hello, {'L', "watch 1" + many}}, 2),
            "HE(65 jobs are too many to name to one wait: at most 64)");
  std::vector<std::pair<char, std::string>> frames{hello};
  for (std::size_t i = 0; i <= door::AttendedJobs::kMostWakes; ++i)
    frames.emplace_back('L', fmt::format("watch {}", i));
  frames.emplace_back('L', "guest 0");
  frames.emplace_back('L', "forget 1");
  frames.emplace_back('L', "guest 0");
  frames.emplace_back('L', "wait 0 0");
  EXPECT_EQ(converse(frames, 4),
            "HE(more than 128 jobs waited for at once are too many)"
            "E(more than 128 jobs waited for at once are too many)L");
}

TEST(Attend, who_waits_is_not_woken_by_the_output_of_jobs_of_others) {
  // Be it for one job that is another's, for several, or for any.
  constexpr std::uint32_t kOwner = 1000, kUser = 2000, kOther = 3000;
  Scenario s(manager::Credential{kOwner, kOwner});
  const auto as = [&s](std::uint32_t uid) { s.session.caller = {uid, uid}; };
  as(kOther);
  const notation::JobId theirs = s.submit();
  as(kUser);
  const notation::JobId mine = s.submit();
  const auto wakes = [&](std::uint32_t uid, const std::string& ids, notation::JobId writes,
                         std::uint32_t user) {
    as(uid);
    Attended attended(s);
    std::string came;
    {
      door::FrameChannel channel(attended.connect());
      channel.send('H', door::encode_greeting({"fq-test", 1, false}));
      channel.send('L', "watch 1" + ids);
      channel.send('L', "guest 1");
      channel.send('L', "wait 1 0");
      channel.flush();
      EXPECT_EQ(channel.receive()->letter, 'H');
      const auto answer = [&] {
        const auto frame = channel.receive();
        if (frame->letter == 'L') return std::string{frame->text};
        return error_text([&] { request::throw_error(frame->text); });
      };
      came = answer();
      if (came == "none") {
        meeting::touch_followers(s.session.files(), writes, user);
        channel.send('L', "wait 1 0");
        channel.flush();
        came = answer();
      }
      channel.finish();
    }
    EXPECT_EQ(attended.said(), "");
    return came;
  };
  const std::string one = fmt::format(" {}", theirs.value), both = fmt::format("{} {}", one, mine.value);
  EXPECT_EQ(wakes(kUser, one, theirs, kOther), fmt::format("job {} belongs to user 3000", theirs));
  EXPECT_EQ(wakes(kUser, both, theirs, kOther), "none");
  EXPECT_EQ(wakes(kUser, "", theirs, kOther), "none");
  EXPECT_EQ(wakes(kUser, both, mine, kUser), "guest");
  EXPECT_EQ(wakes(kUser, "", mine, kUser), "guest");
  EXPECT_EQ(wakes(kOwner, "", theirs, kOther), "guest");
  as(kOwner);
  for (const notation::JobId id : {theirs, mine}) s.finish(id);
}

TEST(Attend, guest_files_are_named_and_never_a_path) {
  const std::pair<char, std::string> hello{'H', door::encode_greeting({"fq-test", 1, false})};
  EXPECT_EQ(converse({hello, {'L', "open 1 7 output"}}, 2), "HE(job ƒ8 does not exist)");
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
