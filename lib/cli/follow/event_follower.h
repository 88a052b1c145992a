// The events of one of a job's logs, each as soon as it is there, without polling.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/event/eventlog.h"
#include "door/door.h"
#include "request/byte_stream.h"

namespace fq::cli {

/// `eventlog`, `exec`, `output`, `input` and their keys (`guest.exec.eventlog`) as the key. Throws
/// Error{invalid} for another one, with a near match.
[[nodiscard]] std::string parse_log_path(std::string_view text);

class EventFollower {
 public:
  /// What a log does that is not there yet.
  enum class Missing { refuse, wait };

  /// `path` is a key that parse_log_path gave. A job that runs gets every log: it is waited for anyway. What
  /// it refers to outlives the follower.
  EventFollower(const door::Door& door, notation::JobId id, std::string path, Missing missing);

  enum class Next { event, end, timeout };
  /// Waits for the next event until `deadline` (boot time, infinity: none) and gives it in `event`. `end`:
  /// the job is inactive, or its store damaged, and there is no more. Throws Error{not_found} when the job,
  /// or the log, does not exist.
  [[nodiscard]] Next next(document::Event& event, double deadline);

 private:
  void look();
  void add(std::string_view bytes);
  /// The next bytes of a guest's log that are there; empty when there are none now.
  [[nodiscard]] std::string_view more();

  const door::Door& door_;
  notation::JobId id_;
  std::string path_;
  Missing missing_;
  std::unique_ptr<door::Waiter> waiter_;
  std::unique_ptr<door::GuestFile> file_;      ///< of a guest's log, else none
  std::optional<request::ByteStream> stored_;  ///< of a job that has ended
  std::size_t consumed_ = 0;                   ///< bytes of the job's own log
  std::string unread_;                         ///< a line that is still being written
  std::vector<document::Event> events_;
  std::size_t at_ = 0;
  bool looked_ = false;
  bool ended_ = false;
};

}  // namespace fq::cli
