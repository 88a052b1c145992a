// Two pipes between the halves of a shell (keeper.h): frames of fields (signature/fields.h), with their size
// before them as an ExecMessage has it. The first field says what it is.
//
//   keeper to user's half
//     rules TERM-SIGNAL GRACE KILL-SIGNAL    once, first: how the tasks are ended; seconds with a fraction
//     order LINE                             as in meeting/control.h
//     input BYTES                            of the input log (RFC 24); the next comes after `taken`
//   user's half to keeper
//     data RANK STREAM BYTES                 STREAM: 0 stdout, 1 stderr
//     close RANK STREAM
//     redirect STREAM RANKS PATH
//     message LEVEL TEXT                     of the shell
//     event LINE                             of exec.eventlog (RFC 18)
//     tasks LINES                            the processes that were started (meeting/task_record.h)
//     place PATH                             the job's temporary directory, once
//     guest NAME BYTES                       more of a document of FLUX_JOB_GUEST_DIR, after the tasks' end
//     taken                                  the last input is handed on
//     terminal                               the job has one that people may look at (looker_relays.h)
//     end STATUS EXCEPTIONS                  once, last: a wait status, and event lines

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace fq::shell {

class Wire {
 public:
  static constexpr std::size_t kMaxFrame = std::size_t{1} << 20;  ///< bytes of fields
  static constexpr std::size_t kMaxData = 65536;                  ///< bytes of output or input in one
  using Frame = std::vector<std::string>;

  /// Neither blocks from now on.
  Wire(UniqueFd in, UniqueFd out);

  /// Queues a frame and writes what can be written. Once the other side reads no more, all is dropped.
  void send(const Frame& frame);
  /// Queues bytes as they are.
  void send_bytes(std::string_view bytes);
  /// Writes what can be written. Returns whether nothing is queued.
  bool flush();
  /// Waits until nothing is queued.
  void flush_all();
  [[nodiscard]] std::size_t queued() const { return queue_.size() - written_; }

  /// The next whole frame; none where there is none yet. Throws Error{invalid} for what is no frame, or an
  /// empty one.
  [[nodiscard]] bool receive(Frame& frame);
  /// The other side has ended, and all that it sent was received.
  [[nodiscard]] bool ended() const { return ended_ && taken_ == received_.size(); }
  /// The other side reads no more.
  [[nodiscard]] bool broken() const { return broken_; }

  [[nodiscard]] int in() const { return in_.get(); }
  [[nodiscard]] int out() const { return out_.get(); }

 private:
  void read();

  UniqueFd in_, out_;
  std::string queue_, received_;
  std::size_t written_ = 0, taken_ = 0;
  bool ended_ = false, broken_ = false;
};

}  // namespace fq::shell
