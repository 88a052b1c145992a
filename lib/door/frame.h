// What goes between the two ends of a door whose other side is another process: frames on a stream
// socket. A frame is a letter, the length of its text as four bytes, the most significant first, and the
// text.
//
//   from who asks   H JSON         greets: what is asked of, by whom it is said to be asked (Greeting)
//                   Q NAME\nJSON   asks: a request of request/table.h, in the form of request/codec.h
//                   X              wants no more rows
//                   Y, N           wants the rows once more, or not
//                   L WORDS        an operation on what goes on (live_words.h)
//                   C              wants to wait no longer
//   from who answers
//                   H JSON         greets back
//                   R JSON         the reply; its streams follow, one after the other
//                   P BYTES        the next piece of a stream
//                   Z              the end of the stream
//                   B JSON         rows begin, or begin anew: their head
//                   O JSON         a row
//                   A              all rows are there: are they wanted once more? Asked where they may be
//                   D              the end of the rows
//                   E JSON         refused, or, in the place of a piece, broken off: an error
//                                  (request/codec.h)
//                   L WORDS        what the operation gave
//                   T JSON         what the user is told while the store keeps it (told.h)

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/unique_fd.h"

namespace fq::door {

/// The other end went where it was not expected to.
class Gone : public Error {
 public:
  Gone() : Error(Kind::unavailable, "who answers has ended without an answer") {}
};

struct Frame {
  char letter = 0;
  std::string_view text;
};

/// When the other end begins a frame: whenever it likes, or at once.
enum class Awaited : std::uint8_t { whenever, at_once };

/// One end. Frames go out when they are flushed, or when there are many.
class FrameChannel {
 public:
  /// No longer text is taken. One frame carries a request whole: a million rows of a submission fit.
  static constexpr std::size_t kMaxText = std::size_t{1} << 30;

  /// A connected socket.
  explicit FrameChannel(UniqueFd socket) : socket_(std::move(socket)) {}

  [[nodiscard]] int input() const { return socket_.get(); }
  /// Sends nothing more, and passes over what comes until the other end has closed it, too. Never fails.
  void finish() noexcept;
  /// The socket, for speaking on it in another way. What has come and was not received is lost.
  [[nodiscard]] UniqueFd release() { return std::move(socket_); }

  /// A frame as it is sent, and one more behind others.
  [[nodiscard]] static std::string encode(char letter, std::string_view text);
  static void append(std::string& frames, char letter, std::string_view text);
  /// The frame that `bytes` begin with; nothing while it is not whole.
  [[nodiscard]] static std::optional<Frame> decode(std::string_view bytes);
  /// How many bytes a frame takes, and the one that `bytes` begin with will; 0 while that is not said.
  [[nodiscard]] static std::size_t encoded_size(const Frame& frame);
  [[nodiscard]] static std::size_t encoded_size(std::string_view bytes);

  /// Goes on where another process has ended: with what it has read and not answered, and what it has not
  /// sent.
  void go_on(std::string read, std::string written) {
    read_ = std::move(read);
    queued_ = std::move(written);
  }

  /// What who answers strangers holds them to.
  struct Bounds {
    /// So long, in seconds, the next bytes of a frame that has begun may take; 0: for ever. Asked only where
    /// they take more than a second.
    std::function<double()> patience_s;
    /// Comes before a frame that is larger than kLarge is taken.
    std::function<void()> before_large;
  };
  static constexpr std::size_t kLarge = std::size_t{1} << 20;
  /// From now on, until other bounds are set.
  void set_bounds(Bounds bounds) { bounds_ = std::move(bounds); }

  /// Queues a frame. Throws Gone.
  void send(char letter, std::string_view text = {});
  void flush() { flush(0); }
  /// Sends a frame, and what is queued before it, without waiting for the other end: for who holds what
  /// others wait for. Throws Gone where that does not take it at once.
  void send_at_once(char letter, std::string_view text);

  /// The next frame, valid until the next call; flushes first. Nothing when the other end has gone between
  /// two frames. Throws Gone within one, Error{invalid} for a text longer than `most`, Error{refused} for one
  /// that is not begun at once where it is to be, or not gone on with.
  [[nodiscard]] std::optional<Frame> receive(std::size_t most = kMaxText,
                                             Awaited awaited = Awaited::whenever);
  /// Whether something has been read that was not received: the socket does not tell of it.
  [[nodiscard]] bool has_buffered() const { return taken_ < read_.size(); }
  /// Whether something has come that receive() would take.
  [[nodiscard]] bool has_input() const;

 private:
  /// With flags of send(2).
  void flush(int flags);
  /// Has at least `size` bytes at hand; false when the other end went before the first of them.
  bool fill(std::size_t size, Awaited awaited);
  void await_more();

  UniqueFd socket_;
  std::string queued_;
  std::string read_;
  std::size_t taken_ = 0;  ///< so much of it was given
  Bounds bounds_;
};

}  // namespace fq::door
