// The asking end of a connection: one question at a time, and the streams of the last reply while nobody asks
// again.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "door/frame.h"
#include "door/greeting.h"
#include "door/told.h"
#include "process/signals/interrupt.h"
#include "request/codec.h"

namespace fq::door {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  /// Greets; `told` takes what the user is told from now on.
  Connection(FrameChannel channel, const Greeting& greeting, Told told);

  /// Says that nothing more is asked, and waits until the other end has put everything away.
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] const Welcome& welcome() const { return welcome_; }
  [[nodiscard]] bool has_read_damaged() const { return has_read_damaged_; }

  /// Asks a request and takes its reply, as Door::carry.
  void carry(const request::RequestKind& kind, const void* request, void* reply, const void* rows);

  /// Whether what was carried last may have changed the store: who answers had its lock.
  [[nodiscard]] bool has_begun() const { return has_begun_; }

  /// Does an operation (live_words.h) that gives nothing.
  void tell(std::string_view words);
  /// Does one that gives something; valid until the next question. Throws what is refused.
  [[nodiscard]] std::string_view ask(std::string_view words);
  /// The same in two steps, between which input() may be waited for.
  void begin(std::string_view words);
  [[nodiscard]] std::string_view end();
  /// Wants to wait no longer.
  void break_off();

  [[nodiscard]] int input() const { return channel_.input(); }
  [[nodiscard]] bool has_input() const { return channel_.has_input(); }
  /// What is left of it when it is no longer spoken to in frames.
  [[nodiscard]] UniqueFd release() { return channel_.release(); }
  /// A number that names nothing yet.
  [[nodiscard]] std::uint64_t next_number() { return ++last_number_; }

 private:
  /// A stream of a reply: its pieces are on the connection until another question needs it.
  struct Stream {
    std::string kept;  ///< read past for it
    std::string piece;
    bool over = false;
    std::string error;  ///< it broke off with this
  };

  /// The next frame, past what the user is told. Throws Error{unavailable} when the other end is gone, and
  /// what is refused.
  Frame receive();
  void take_reply(const request::RequestKind& kind, void* reply);
  void take_rows(const request::RowTexts& rows);
  request::ByteStream open(std::size_t index);
  std::string_view read(Stream& stream, std::size_t index);
  /// Takes the next piece of the stream that comes now.
  void take_piece(std::string& to);
  /// Has all streams out of the way of the next question.
  void keep_streams();

  FrameChannel channel_;
  Told told_;
  std::optional<process::UncountedInterrupts> nothing_done_;  ///< of what was asked
  Welcome welcome_;
  bool has_read_damaged_ = false;
  bool has_begun_ = false;
  std::uint64_t last_number_ = 0;
  std::vector<std::weak_ptr<Stream>> streams_;  ///< of the last reply
  std::size_t current_ = 0;                     ///< the one whose pieces come now
};

}  // namespace fq::door
