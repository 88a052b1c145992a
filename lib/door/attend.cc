#include "door/attend.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "door/attended_jobs.h"
#include "door/frame.h"
#include "door/greeting.h"
#include "door/routes.h"
#include "door/share.h"
#include "door/told.h"
#include "manager/core/shares.h"
#include "manager/engine/damaged_store.h"
#include "manager/engine/signatures.h"
#include "process/signals/hang_up_watch.h"
#include "process/signals/last_words.h"
#include "process/user/user_database.h"
#include "request/codec.h"

namespace fq::door {
namespace {

// A request of this length has a hundred million bytes of jobspecs in it.
constexpr std::size_t kMaxRequest = std::size_t{256} << 20;
// One that submits nothing has names and numbers in it, which come back in what it is refused with.
constexpr std::size_t kMaxOther = std::size_t{64} << 20;
// And so long is what names one, or greets, at most.
constexpr std::size_t kMaxLine = 4096;
// So often it is looked whether more rows are wanted.
constexpr std::size_t kRowsBetweenLooks = 64;

class Busy {
 public:
  explicit Busy(process::HangUpWatch& watch) : watch_(watch) { watch_.set_busy(true); }
  ~Busy() { watch_.set_busy(false); }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  process::HangUpWatch& watch_;
};

class Attendance {
 public:
  Attendance(manager::Session session, UniqueFd socket, Begun begun)
      : session_(std::move(session)),
        channel_(std::move(socket)),
        is_greeted_(begun.is_greeted),
        jobs_(session_) {
    channel_.go_on(std::move(begun.read), std::move(begun.written));
  }

  // What cannot be gone on after is told, too.
  void run() {
    try {
      answer_all();
    } catch (const Gone&) {
      throw;
    } catch (const Error& failure) {
      channel_.send('E', request::encode_error(failure));
      channel_.flush();
      throw;
    }
  }

 private:
  void answer_all() {
    session_.last_words = [socket = channel_.input()](const Error& failure) {
      process::set_last_words(socket, FrameChannel::encode('E', request::encode_error(failure)));
    };
    if (!refuses([&] { connection_ = Share::of_connections(session_, channel_.input()); }))
      return channel_.flush();
    channel_.set_bounds({[this] {
                           const auto shares = manager::shares_of(session_);
                           return shares ? shares->patience_s : 0;
                         },
                         [this] { large_request_ = Share::of_large_requests(session_, channel_.input()); }});
    const auto first = channel_.receive(kMaxLine, Awaited::at_once);
    if (!first) return;
    if (first->letter != 'H') throw Error{Kind::invalid, "expected a greeting"};
    if (!refuses([&] { greet(first->text); })) return channel_.flush();
    while (const auto frame = channel_.receive(kMaxRequest)) {
      switch (frame->letter) {
        case 'Q':
          static_cast<void>(refuses([&] { answer(frame->text); }));
          large_request_.reset();
          break;
        case 'L':
          if (!operate(frame->text)) return;
          break;
        case 'X':
        case 'C':
          break;  // what it would have broken off was over before it came
        default:
          throw error(Kind::invalid, "expected a question, got {}",
                      quote(std::string_view{&frame->letter, 1}));
      }
    }
  }

  // Whether the step was done; what it is refused with is told.
  template <typename Step>
  bool refuses(const Step& step) {
    try {
      step();
      return true;
    } catch (const Gone&) {
      throw;
    } catch (const Error& failure) {
      channel_.send('E', request::encode_error(failure));
      return false;
    }
  }

  void greet(std::string_view text) {
    const Greeting greeting = decode_greeting(text);
    session_.command = greeting.command;
    if (session_.signatures != nullptr)
      session_.caller.login = process::look_up_user_name(session_.caller.uid);
    session_.lock_timeout_s = greeting.lock_timeout_s;
    // The store's lock may be held: who does not read what it asked for is waited for by nobody.
    Told told = tell_by_text([this](std::string_view notice) { channel_.send_at_once('T', notice); });
    session_.notices = std::move(told.notices);
    if (greeting.damaged) session_.damaged = &damaged_.emplace(std::move(told.damaged));
    if (is_greeted_) return;
    channel_.send('H', encode_welcome({session_.caller.uid,
                                       session_.signatures != nullptr ? session_.signatures->store : ""}));
  }

  void answer(std::string_view text) {
    const std::size_t line = text.find('\n');
    if (line == std::string_view::npos || line > kMaxLine)
      throw Error{Kind::invalid, "expected the name of a request, and a line feed"};
    const auto words = split(text.substr(0, line), ' ');
    const auto place = request::find_kind(words.front());
    if (!place) throw error(Kind::invalid, "there is no request {}", quote(words.front()));
    const request::RequestKind& kind = request::kind_at(*place);
    if (text.size() > kMaxOther && *place != request::kKindOf<request::SubmitRequest>)
      throw error(Kind::invalid, "{} bytes are too many for a request {}: at most {}", text.size(),
                  quote(kind.name), kMaxOther);
    const auto request = kind.decode_request(text.substr(line + 1));
    if (kind.has_rows) {
      const std::set<std::string_view> wanted(words.begin() + 1, words.end());
      answer_in_rows(*place, request.get(), wanted.contains("row"), wanted.contains("again"));
      return;
    }
    const auto reply = kind.make_reply();
    serve(*place, request.get(), reply.get(), nullptr);
    std::vector<request::ByteStream> streams;
    channel_.send('R', kind.encode_reply(reply.get(), streams));
    for (request::ByteStream& stream : streams) send(stream);
  }

  // Who goes away meanwhile wants no answer.
  void serve(std::size_t place, const void* request, void* reply, const void* rows) {
    if (!watch_) watch_.emplace(channel_.input());
    const Busy busy(*watch_);
    door::serve(session_, place, request, reply, rows);
  }

  void send(request::ByteStream& stream) {
    if (!refuses([&] {
          for (std::string_view piece; !(piece = stream.read()).empty();) channel_.send('P', piece);
        }))
      return;
    channel_.send('Z');
  }

  void answer_in_rows(std::size_t place, const void* request, bool row, bool again) {
    request::RowTexts texts;
    bool wanted = true;
    std::size_t since = 0;
    texts.begin = [&](std::string_view head) {
      wanted = true;
      channel_.send('B', head);
    };
    if (row) {
      texts.row = [&](std::string_view text) {
        channel_.send('O', text);
        if (++since % kRowsBetweenLooks != 0 || !channel_.has_input()) return wanted;
        if (receive_next().letter != 'X') throw Error{Kind::invalid, "expected the rows to be broken off"};
        return wanted = false;
      };
    }
    if (again) {
      texts.again = [&] {
        channel_.send('A');
        Frame said = receive_next();
        if (said.letter == 'X') said = receive_next();
        return wanted = said.letter == 'Y';
      };
    }
    const auto rows = request::kind_at(place).make_rows(texts);
    serve(place, request, nullptr, rows.get());
    channel_.send('D');
  }

  Frame receive_next() {
    const auto frame = channel_.receive(kMaxRequest);
    if (!frame) throw Gone{};
    return *frame;
  }

  // False when the connection is no longer for frames.
  bool operate(std::string_view text) {
    bool goes_on = true;
    static_cast<void>(refuses([&] {
      const LiveWords words = split_live(text);
      if (words.words.front() == "terminal") {
        goes_on = !show_terminal(words);
      } else if (words.words.front() == "wait") {
        channel_.send('L', jobs_.wait(words, channel_.input(), channel_.has_buffered()));
      } else if (const auto given = jobs_.operate(words)) {
        channel_.send('L', *given);
      }
    }));
    return goes_on;
  }

  // Whether there is one: it was shown until its end then.
  bool show_terminal(const LiveWords& words) {
    auto terminal = jobs_.terminal(words);
    channel_.send('L', terminal ? "yes" : "no");
    channel_.flush();
    if (!terminal) return false;
    relay(*terminal, meeting::TerminalLink{channel_.release(), meeting::TerminalLink::Packets::streamed});
    return true;
  }

  manager::Session session_;
  FrameChannel channel_;
  const bool is_greeted_;  ///< by another process
  std::optional<Share> connection_, large_request_;
  std::optional<manager::DamagedStore> damaged_;
  AttendedJobs jobs_;
  std::optional<process::HangUpWatch> watch_;
};

}  // namespace

void attend(manager::Session session, UniqueFd socket, Begun begun) {
  try {
    Attendance(std::move(session), std::move(socket), std::move(begun)).run();
  } catch (const Gone&) {
    return;
  }
}

}  // namespace fq::door
