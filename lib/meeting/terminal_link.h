// Between a job's terminal and who looks at it: packets on the socket guest/<id>/terminal (SOCK_SEQPACKET),
// which the job's shell listens on. A packet is a letter and its text:
//
//   from who looks   A [w][o] ROWS COLUMNS   begins to look: w wants to write, o ends the job when it is gone
//                    I BYTES                 input; passed over of who does not write
//                    S ROWS COLUMNS          its window has another size
//                    T                       takes the writing over
//                    L                       leaves: what ends the link now is no loss
//   from the shell   O BYTES                 output
//                    P OFFSET                the next output begins so many bytes after the beginning of all
//                    W                       you write from now on
//                    R                       you watch from now on
//                    E                       the terminal is over
//
// Packets of other letters, or whose text has another form, are passed over.

#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "meeting/job_files.h"
#include "process/start/pty.h"

namespace fq::meeting {

/// The most that one packet carries besides its letter.
inline constexpr std::size_t kMaxPacket = 16384;

struct LookRequest {
  bool writes = false;
  bool owns = false;
  process::WindowSize window;
  friend bool operator==(const LookRequest&, const LookRequest&) = default;
};

/// The text of A and S, and back; nothing for what is none.
[[nodiscard]] std::string encode_look(const LookRequest& look);
[[nodiscard]] std::optional<LookRequest> decode_look(std::string_view text);
[[nodiscard]] std::string encode_window(process::WindowSize window);
[[nodiscard]] std::optional<process::WindowSize> decode_window(std::string_view text);

/// One end of a link: packets in, and packets out as fast as the other end takes them. Nothing here waits.
class TerminalLink {
 public:
  /// How packets stand on the socket: each by itself (SOCK_SEQPACKET), or in a stream, where a packet's
  /// letter is followed by the length of its text as four bytes, the most significant first.
  enum class Packets : bool { whole, streamed };

  /// Takes a connected socket.
  explicit TerminalLink(UniqueFd socket, Packets packets = Packets::whole)
      : socket_(std::move(socket)), streamed_(packets == Packets::streamed) {}

  [[nodiscard]] int fd() const { return socket_.get(); }
  /// Queues a packet; of more than kMaxPacket bytes several.
  void send(char letter, std::string_view text);
  /// Sends what is queued as far as it can be; false when the other end is gone, of which there may be
  /// packets to receive.
  bool flush();
  /// Bytes that are queued.
  [[nodiscard]] std::size_t queued() const { return queued_; }
  /// Forgets what is queued.
  void drop_queue();
  /// The next packet that has come, valid until the next call: its first byte is the letter. Empty when there
  /// is none now; nothing when the other end is gone and all that it sent was received.
  [[nodiscard]] std::optional<std::string_view> receive();

 private:
  [[nodiscard]] std::optional<std::string_view> receive_whole();
  [[nodiscard]] std::optional<std::string_view> receive_streamed();

  UniqueFd socket_;
  bool streamed_;
  std::deque<std::string> queue_;
  std::size_t queued_ = 0;
  std::size_t sent_ = 0;  ///< of the first that is queued
  std::string packet_;
  std::string stream_;     ///< what has come of the next ones
  std::size_t taken_ = 0;  ///< so much of it was given
};

/// Sends what is queued. Gives up at the boot time `until`, when the other end has taken nothing for
/// `patience_s` seconds, or is gone. `meanwhile` is called now and then.
void send_rest(TerminalLink& link, double until, double patience_s, const Clock& clock,
               const std::function<void()>& meanwhile = {});

/// The shell's end: the socket under which the job's terminal is found, its owner's alone. Replaces one that
/// a shell before has left. Throws Error.
[[nodiscard]] UniqueFd listen_for_lookers(const JobFiles& files, notation::JobId id);
/// Removes the socket.
void remove_terminal_socket(const JobFiles& files, notation::JobId id);
/// From here on nobody comes; who has come by now can still be accepted.
void refuse_lookers(const UniqueFd& listening);
/// The next who has come; invalid when there is none.
[[nodiscard]] UniqueFd accept_looker(const UniqueFd& listening);

/// The other end: nothing where the job has no terminal (yet, or any more).
[[nodiscard]] std::optional<TerminalLink> connect_to_terminal(const JobFiles& files, notation::JobId id);

}  // namespace fq::meeting
