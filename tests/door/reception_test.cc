// An engine that stays: many ask it, one after the other is answered, and what others would wait for is
// handed on.

#include "door/reception.h"

#include <atomic>
#include <mutex>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/file_lock.h"
#include "door/attend.h"
#include "door/frame.h"
#include "door/greeting.h"
#include "door/remote_door.h"
#include "store/store_lock.h"
#include "support/error_text.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

/// Stands until it is put on.
class SteppedClock final : public Clock {
 public:
  [[nodiscard]] double now() const override { return 1.7e9 + boot_time_; }
  [[nodiscard]] double boot_time() const override { return boot_time_; }
  void step(double seconds) { boot_time_ = boot_time_ + seconds; }

 private:
  std::atomic<double> boot_time_ = 1000;
};

constexpr double kLong_s = 1000;

class ReceptionTest : public testing::Test {
 protected:
  ReceptionTest() { s.session.clock = &clock_; }
  ~ReceptionTest() override { end(); }

  /// The engine; until it is there.
  void receive(const door::ReceptionBounds& bounds) {
    engine_ = std::thread([this, bounds] {
      door::receive_callers(
          s.session,
          [this](door::Handed handed) {
            const std::lock_guard guard(mutex_);
            begun_.push_back(handed.begun);
            others_.emplace_back([session = s.session, socket = std::move(handed.socket),
                                  begun = std::move(handed.begun)]() mutable {
              door::attend(session, blocking(std::move(socket)), std::move(begun));
            });
          },
          bounds);
      is_over_ = true;
    });
    while (!exists(place()) || !connect().valid()) std::this_thread::yield();
  }
  /// Time passes; who waits for something to come looks at the clock.
  void pass(double seconds) {
    clock_.step(seconds);
    static_cast<void>(connect());
  }
  /// Until it has left.
  void leave() {
    while (engine_.joinable() && !is_over_) pass(2 * kLong_s);
    if (engine_.joinable()) engine_.join();
  }
  void end() {
    leave();
    for (std::thread& other : others_) other.join();
    others_.clear();
  }
  [[nodiscard]] std::size_t handed_on() {
    const std::lock_guard guard(mutex_);
    return begun_.size();
  }
  [[nodiscard]] std::string place() const { return s.session.store + "/door/engine"; }

  /// As the gate does; invalid where nobody is there.
  [[nodiscard]] UniqueFd connect(const std::string& who = "4711 4711\n") const {
    UniqueFd socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    place().copy(name.sun_path, sizeof name.sun_path - 1);
    char answer = 0;
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0 ||
        ::send(socket.get(), who.data(), who.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(who.size()) ||
        ::recv(socket.get(), &answer, 1, 0) != 1 || answer != door::EnginePlace::kTaken)
      return UniqueFd{};
    return socket;
  }
  [[nodiscard]] std::unique_ptr<door::Door> door(std::uint32_t uid) {
    return std::make_unique<door::RemoteDoor>(
        [this, uid] { return door::FrameChannel{connect(fmt::format("{0} {0}\n", uid))}; },
        [] { return std::vector<std::string>{"/nonexistent"}; }, door::Greeting{"fq-test", 30, false},
        door::Told{}, clock_);
  }
  /// Whether another writer would have to wait.
  [[nodiscard]] bool is_locked() const { return fq::is_locked(store::lock_path(s.session.store)); }

  static door::ReceptionBounds staying() {
    return {.stays = kLong_s, .stays_most = kLong_s, .keeps = 5, .keeps_most = kLong_s};
  }
  static request::SubmitRequest one_job(std::uint32_t copies = 1) {
    request::JobGroup group;
    group.jobspec = request::JobspecTemplate::plain(Scenario::jobspec());
    if (copies > 1) group.copies = notation::Idset::from_range(1, copies);
    return {{group}};
  }

 private:
  SteppedClock clock_;

 protected:
  Scenario s;

 private:
  static UniqueFd blocking(UniqueFd socket) {
    ::fcntl(socket.get(), F_SETFL, 0);
    return socket;
  }

  std::atomic<bool> is_over_ = false;
  std::thread engine_;
  std::mutex mutex_;
  std::vector<door::Begun> begun_;
  std::vector<std::thread> others_;
};

TEST_F(ReceptionTest, many_are_answered_in_one_tenure_of_the_lock) {
  receive(staying());
  const std::uint32_t own = s.session.caller.uid;
  {
    const auto door = this->door(own), again = this->door(own);
    EXPECT_FALSE(is_locked());
    const auto ids = door->ask(one_job()).ids;
    EXPECT_TRUE(is_locked());
    // What was committed is seen at once, and by others.
    EXPECT_EQ(again->ask(request::FindJobRequest{ids.at(0)}).job.id, ids[0]);
    EXPECT_EQ(again->ask(one_job()).ids.size(), 1U);
    // What is refused does not end it.
    EXPECT_THROW(static_cast<void>(door->ask(request::FindJobRequest{notation::JobId{7}})), Error);
    request::JobGroup bad;
    bad.jobspec = request::JobspecTemplate::plain(Scenario::jobspec(1, 1, R"("queue":"debg")"));
    EXPECT_THROW(static_cast<void>(door->ask(request::SubmitRequest{{bad}})), Error);
    EXPECT_TRUE(is_locked());
    EXPECT_EQ(door->ask(one_job()).ids.size(), 1U);
    EXPECT_EQ(handed_on(), 0U);
  }
  // While nobody asks, others get the store.
  while (is_locked()) pass(6);
}

TEST_F(ReceptionTest, rows_are_given_once_more) {
  receive(staying());
  {
    const auto door = this->door(s.session.caller.uid);
    EXPECT_EQ(door->ask(one_job(3)).ids.size(), 3U);
    int heads = 0, seen = 0, passes = 0;
    request::JobListRows rows;
    rows.begin = [&](request::JobListHead&&) { ++heads; };
    rows.row = [&](request::ListedJob&&) { return ++seen != 2; };  // the first pass is broken off
    rows.again = [&] { return ++passes < 3; };
    door->ask(request::JobListRequest{}, rows);
    EXPECT_EQ(heads, 1);
    EXPECT_EQ(seen, 2 + 3 + 3);
    EXPECT_EQ(passes, 3);
    EXPECT_EQ(door->ask(one_job()).ids.size(), 1U);
    EXPECT_EQ(handed_on(), 0U);
  }
}

TEST_F(ReceptionTest, what_others_would_wait_for_is_handed_on) {
  door::ReceptionBounds bounds = staying();
  bounds.reads = 100;
  bounds.keeps = 0;
  receive(bounds);
  const std::uint32_t uid = s.session.caller.uid;
  {
    // What goes on; what opens files; what is of many jobs. Each is answered, and what the connection asks
    // then.
    const auto id = door(uid)->ask(one_job()).ids.at(0);
    EXPECT_EQ(handed_on(), 0U);
    const auto follows = door(uid), reads = door(uid), submits = door(uid), lists = door(uid);
    EXPECT_TRUE(follows->waiter(std::span(&id, 1)) != nullptr);
    EXPECT_EQ(follows->ask(request::FindJobRequest{id}).job.id, id);
    EXPECT_EQ(handed_on(), 1U);
    EXPECT_EQ(
        reads->ask(request::DocumentRequest{id, "jobspec", request::JobspecForm::original}).bytes->read_all(),
        s.document(id, "jobspec"));
    EXPECT_EQ(handed_on(), 2U);
    EXPECT_EQ(submits->ask(one_job(300)).ids.size(), 300U);
    EXPECT_EQ(handed_on(), 3U);
    std::size_t listed = 0;
    request::JobListRows rows;
    rows.begin = [&](request::JobListHead&&) { listed = 0; };
    rows.row = [&](request::ListedJob&&) { return ++listed > 0; };
    lists->ask(request::JobListRequest{}, rows);
    EXPECT_EQ(listed, 301U);
    EXPECT_EQ(handed_on(), 4U);
  }
}

TEST_F(ReceptionTest, who_stops_within_a_frame_keeps_nobody) {
  receive(staying());
  const std::string greeting = door::encode_greeting({"fq-test", 30, false});
  const std::string frame = door::FrameChannel::encode('H', greeting);
  const UniqueFd socket = connect();
  ASSERT_EQ(::send(socket.get(), frame.data(), 7, 0), 7);
  while (handed_on() == 0) pass(1);
  ASSERT_EQ(::send(socket.get(), frame.data() + 7, frame.size() - 7, 0), ssize_t(frame.size() - 7));
  char letter = 0;
  ASSERT_EQ(::recv(socket.get(), &letter, 1, 0), 1);
  EXPECT_EQ(letter, 'H');
}

TEST_F(ReceptionTest, one_stays_and_hands_on_who_is_there_when_it_leaves) {
  receive(staying());
  EXPECT_FALSE(door::EnginePlace::take(s.session.store));
  EXPECT_FALSE(connect("root root\n").valid());
  EXPECT_FALSE(connect(std::string(100, '1')).valid());
  {
    const auto door = this->door(s.session.caller.uid);
    const auto id = door->ask(one_job()).ids.at(0);
    leave();
    EXPECT_FALSE(connect().valid());
    EXPECT_FALSE(is_locked());
    EXPECT_EQ(door->ask(request::FindJobRequest{id}).job.id, id);
    EXPECT_EQ(door->userid(), s.session.caller.uid);
  }
  EXPECT_TRUE(door::EnginePlace::take(s.session.store));
}

}  // namespace
}  // namespace fq::test
