// The answering end of a connection: what strangers say on it, and how much they get.

#include "door/attend.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "door/attended.h"
#include "door/attended_jobs.h"
#include "door/frame.h"
#include "door/greeting.h"
#include "meeting/wake.h"
#include "request/codec.h"
#include "support/error_text.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

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

}  // namespace
}  // namespace fq::test
