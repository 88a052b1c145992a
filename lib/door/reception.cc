#include "door/reception.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <list>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "base/try_to.h"
#include "door/brief.h"
#include "door/frame.h"
#include "door/greeting.h"
#include "door/routes.h"
#include "door/share.h"
#include "door/told.h"
#include "manager/engine/kept_store.h"
#include "manager/engine/signatures.h"
#include "process/signals/last_words.h"
#include "process/user/user_database.h"
#include "request/codec.h"

namespace fq::door {
namespace {

constexpr std::size_t kMostRead = 65536, kMostWritten = std::size_t{1} << 20;  // bytes of a connection
constexpr std::size_t kMostConnections = 256;

/// What cannot be answered here.
struct NotHere {};

/// A connection, and what is on its way there.
struct Visitor {
  UniqueFd socket;
  std::optional<EnginePlace::Caller> caller;  ///< once that was said
  bool is_greeted = false;
  bool is_over = false;
  std::string greeting;  ///< the frame
  std::string read;      ///< frames that are not answered yet, the last of which may not be whole
  std::string written;   ///< what the other end has not taken yet
  std::optional<std::string>
      rows;              ///< those of an answer, while it is not said whether they are wanted once more
  double last_read = 0;  ///< boot time
  manager::Session session{};
  std::optional<Share> share;
};

class Reception {
 public:
  Reception(const manager::Session& session, const HandOn& hand_on, const ReceptionBounds& bounds,
            EnginePlace place)
      : session_(session), hand_on_(hand_on), bounds_(bounds), place_(std::move(place)) {
    session_.kept = &kept_;
  }

  void run() {
    const double began = now();
    double asked = began;
    for (;;) {
      if (await_any(asked)) asked = now();
      if (now() < asked + bounds_.stays && now() < began + bounds_.stays_most) continue;
      if (!std::exchange(has_left_, true)) {
        place_.leave();  // and goes on with who has come before
      } else if (!is_answering() || now() >= asked + bounds_.reader) {
        break;
      }
    }
    kept_.close();
    for (Visitor& visitor : visitors_) hand_on(visitor);
  }

 private:
  [[nodiscard]] double now() const { return session_.clock->boot_time(); }

  // When others are to have the store. REQUIRES that it is open.
  [[nodiscard]] double let_go_at() const {
    return std::min(kept_.unused_since() + bounds_.keeps, kept_.since() + bounds_.keeps_most);
  }
  // Whether somebody has a part of an answer, with which another engine could not go on.
  [[nodiscard]] bool is_answering() const {
    return std::any_of(visitors_.begin(), visitors_.end(),
                       [](const Visitor& visitor) { return visitor.rows.has_value(); });
  }

  // Returns whether anybody was answered.
  bool await_any(double asked) {
    std::vector<pollfd> fds{{place_.input(), POLLIN, 0}};
    double next = asked + (has_left_ && is_answering() ? bounds_.reader : bounds_.stays);
    for (const Visitor& visitor : visitors_) {
      fds.push_back(
          {visitor.socket.get(), static_cast<short>(visitor.written.empty() ? POLLIN : POLLOUT), 0});
      if (!visitor.read.empty()) next = std::min(next, visitor.last_read + bounds_.frame);
    }
    if (kept_.is_open()) next = std::min(next, let_go_at());
    const double wait_ms = std::ceil(std::max(next - now(), 0.0) * 1000);
    if (::poll(fds.data(), fds.size(), static_cast<int>(wait_ms)) < 0) return false;
    std::size_t at = 1;
    for (Visitor& visitor : visitors_) {
      const short ready = fds[at++].revents;
      if ((ready & (POLLIN | POLLHUP | POLLERR)) != 0 && visitor.written.empty()) read(visitor);
      if ((ready & (POLLOUT | POLLHUP | POLLERR)) != 0 && !visitor.written.empty()) write(visitor);
    }
    if (fds[0].revents != 0) accept();
    const bool answered = answer_all();
    std::erase_if(visitors_, [](const Visitor& visitor) { return visitor.is_over; });
    if (kept_.is_open() && now() >= let_go_at()) kept_.close();
    return answered;
  }

  void accept() {
    while (visitors_.size() < kMostConnections) {
      UniqueFd come = place_.accept();
      if (!come.valid()) return;
      Visitor& visitor = visitors_.emplace_back();
      visitor.socket = std::move(come);
      visitor.last_read = now();
      read(visitor);
    }
    // The others find that nobody answers, and start engines of their own.
    while (place_.accept().valid()) {
    }
  }

  void read(Visitor& visitor) {
    const std::size_t had = visitor.read.size();
    if (had == kMostRead) return;  // there is something to answer, or to hand on
    visitor.read.resize(kMostRead);
    const ssize_t size =
        ::recv(visitor.socket.get(), visitor.read.data() + had, kMostRead - had, MSG_DONTWAIT);
    const int reason = errno;
    visitor.read.resize(had + static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    if (size > 0) visitor.last_read = now();
    if (size == 0 || (size < 0 && reason != EAGAIN && reason != EINTR)) visitor.is_over = true;
  }

  static void write(Visitor& visitor) {
    const process::Sending sending;
    while (!visitor.written.empty()) {
      const ssize_t size = ::send(visitor.socket.get(), visitor.written.data(), visitor.written.size(),
                                  MSG_NOSIGNAL | MSG_DONTWAIT);
      if (size < 0 && errno == EINTR) continue;
      if (size < 0 && errno != EAGAIN) visitor.is_over = true;
      if (size <= 0) return;
      visitor.written.erase(0, static_cast<std::size_t>(size));
    }
  }

  // One request of each user, then the next of each: who has many connections is not served more.
  bool answer_all() {
    bool any = false;
    for (bool more = true; more;) {
      more = false;
      std::set<std::uint32_t> served;
      for (Visitor& visitor : visitors_) {
        if (visitor.is_over || !visitor.written.empty()) continue;
        if (visitor.caller && served.contains(visitor.caller->uid)) continue;
        if (!answer(visitor)) continue;
        if (visitor.caller) served.insert(visitor.caller->uid);
        more = any = true;
      }
      if (kept_.is_open() && now() >= let_go_at()) kept_.close();
    }
    return any;
  }

  // False where there is nothing that can be answered.
  bool answer(Visitor& visitor) {
    try {
      if (!visitor.caller) return know(visitor);
      const auto frame = FrameChannel::decode(visitor.read);
      if (!frame) {
        // What is large, or slow, is waited for by an engine of its own.
        if (!visitor.read.empty() && (FrameChannel::encoded_size(visitor.read) > kMostRead ||
                                      now() >= visitor.last_read + bounds_.frame))
          hand_on(visitor);
        return false;
      }
      const std::size_t size = FrameChannel::encoded_size(*frame);
      visitor.is_greeted ? take(visitor, *frame) : greet(visitor, *frame);
      if (visitor.is_over) return true;
      visitor.read.erase(0, size);
      write(visitor);
      return true;
    } catch (const NotHere&) {
      hand_on(visitor);
    } catch (const manager::TooMuchToRead&) {
      hand_on(visitor);
    } catch (const Gone&) {
      visitor.is_over = true;
    } catch (const Error&) {
      // Who answers this one alone says so.
      hand_on(visitor);
    }
    return false;
  }

  // Takes what is said first.
  bool know(Visitor& visitor) {
    const std::size_t line = visitor.read.find('\n');
    if (line == std::string::npos) {
      if (visitor.read.size() > EnginePlace::kMostSaid || now() >= visitor.last_read + bounds_.frame)
        visitor.is_over = true;
      return false;
    }
    try {
      visitor.caller = EnginePlace::parse(std::string_view{visitor.read}.substr(0, line));
    } catch (const Error&) {
      visitor.is_over = true;
      return false;
    }
    visitor.read.erase(0, line + 1);
    visitor.written = EnginePlace::kTaken;
    write(visitor);
    return true;
  }

  void greet(Visitor& visitor, const Frame& frame) {
    if (frame.letter != 'H') throw NotHere{};
    const Greeting greeting = decode_greeting(frame.text);
    if (greeting.damaged) throw NotHere{};
    manager::Session session = session_;
    session.caller = {visitor.caller->uid, visitor.caller->gid};
    session.command = greeting.command;
    session.lock_timeout_s = std::min(greeting.lock_timeout_s, bounds_.lock);
    if (session.caller.uid == ::geteuid()) session.signatures = nullptr;
    if (session.signatures != nullptr) session.caller.login = process::look_up_user_name(session.caller.uid);
    session.last_words = [socket = visitor.socket.get()](const Error& failure) {
      process::set_last_words(socket, FrameChannel::encode('E', request::encode_error(failure)));
    };
    session.notices.begins = tell_by_text([socket = visitor.socket.get()](std::string_view notice) {
                               send_at_once(socket, FrameChannel::encode('T', notice));
                             }).notices.begins;
    visitor.share = Share::try_connection(session);
    if (!visitor.share) throw NotHere{};
    visitor.session = std::move(session);
    visitor.greeting = FrameChannel::encode('H', frame.text);
    visitor.is_greeted = true;
    visitor.written = FrameChannel::encode(
        'H',
        encode_welcome({visitor.session.caller.uid,
                        visitor.session.signatures != nullptr ? visitor.session.signatures->store : ""}));
  }

  static void send_at_once(int socket, std::string_view bytes) {
    const process::Sending sending;
    if (::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) !=
        static_cast<ssize_t>(bytes.size()))
      throw Gone{};
  }

  void take(Visitor& visitor, const Frame& frame) {
    if (frame.letter == 'X' || frame.letter == 'C') return;  // what it would have broken off was over before
    if (visitor.rows) return repeat_rows(visitor, frame);
    const std::size_t line = frame.text.find('\n');
    if (frame.letter != 'Q' || line == std::string_view::npos) throw NotHere{};
    const auto words = split(frame.text.substr(0, line), ' ');
    const auto place = request::find_kind(words.front());
    const bool rows = std::find(words.begin(), words.end(), "row") != words.end();
    const bool again = std::find(words.begin(), words.end(), "again") != words.end();
    if (!place || !may_be_brief(*place)) throw NotHere{};
    const request::RequestKind& kind = request::kind_at(*place);
    const auto request = kind.decode_request(frame.text.substr(line + 1));
    if (!is_brief(*place, request.get())) throw NotHere{};
    try {
      if (kind.has_rows) {
        answer_in_rows(visitor, *place, request.get(), rows, again);
      } else {
        visitor.written = answer_at_once(visitor.session, *place, request.get());
      }
    } catch (const Gone&) {
      throw;
    } catch (const Error& failure) {
      if (failure.kind() == Kind::timeout) throw NotHere{};  // for the lock there is more time elsewhere
      visitor.written = FrameChannel::encode('E', request::encode_error(failure));
    }
  }

  static std::string answer_at_once(const manager::Session& session, std::size_t place, const void* request) {
    const request::RequestKind& kind = request::kind_at(place);
    const auto reply = kind.make_reply();
    door::serve(session, place, request, reply.get(), nullptr);
    std::vector<request::ByteStream> streams;
    return FrameChannel::encode('R', kind.encode_reply(reply.get(), streams));
  }

  static void answer_in_rows(Visitor& visitor, std::size_t place, const void* request, bool wants_rows,
                             bool may_want_again) {
    std::string head, rows;
    request::RowTexts texts;
    texts.begin = [&](std::string_view text) {
      head = FrameChannel::encode('B', text);
      rows.clear();
    };
    if (wants_rows) {
      texts.row = [&](std::string_view text) {
        FrameChannel::append(rows, 'O', text);
        if (rows.size() > kMostWritten) throw NotHere{};
        return true;
      };
    }
    const auto stream = request::kind_at(place).make_rows(texts);
    door::serve(visitor.session, place, request, nullptr, stream.get());
    visitor.written = head + rows + FrameChannel::encode(wants_rows && may_want_again ? 'A' : 'D', {});
    if (wants_rows && may_want_again) visitor.rows = std::move(rows);
  }

  // Whether the rows that were sent are wanted once more.
  static void repeat_rows(Visitor& visitor, const Frame& frame) {
    if (frame.letter == 'Y') {
      visitor.written = *visitor.rows + FrameChannel::encode('A', {});
    } else if (frame.letter == 'N') {
      visitor.written = FrameChannel::encode('D', {});
      visitor.rows.reset();
    } else {
      throw Gone{};
    }
  }

  // What has begun of an answer cannot be gone on with: who was to take it has had its time.
  void hand_on(Visitor& visitor) {
    visitor.is_over = true;
    if (!visitor.caller || visitor.rows) return;
    visitor.share.reset();
    try_to([&] {
      hand_on_({*visitor.caller,
                std::move(visitor.socket),
                {visitor.is_greeted, visitor.greeting + visitor.read, std::move(visitor.written)}});
    });
  }

  manager::Session session_;
  const HandOn& hand_on_;
  const ReceptionBounds bounds_;
  EnginePlace place_;
  manager::KeptStore kept_{session_, bounds_.reads};
  std::list<Visitor> visitors_;
  bool has_left_ = false;
};

}  // namespace

void receive_callers(const manager::Session& session, const HandOn& hand_on, const ReceptionBounds& bounds) {
  auto place = EnginePlace::take(session.store);
  if (place) Reception(session, hand_on, bounds, *std::move(place)).run();
}

}  // namespace fq::door
