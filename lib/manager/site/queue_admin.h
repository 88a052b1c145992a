// Starting, stopping, enabling and disabling queues, and what their state is (RFC 33).

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manager/engine/session.h"
#include "records/queues.h"

namespace fq::manager {

struct QueueRequest {
  enum class Verb : std::uint8_t { start, stop, enable, disable };
  Verb verb = Verb::start;
  std::string queue;   ///< empty: the anonymous queue
  std::string reason;  ///< of stop and disable; disabling needs one
  bool all = false;    ///< every queue
};

/// A queue's state as RFC 33 reports it: `started` is whether its jobs may start now.
struct QueueStatus {
  std::string queue;
  records::QueueState state;
  std::string parent;    ///< of a virtual queue, else empty
  bool blocked = false;  ///< started, but its parent is not
  /// When the scheduler that failed is tried again, and in how many seconds.
  struct NextTry {
    double time = 0, in_s = 0;
    friend bool operator==(const NextTry&, const NextTry&) = default;
  };
  std::optional<NextTry> next_try;

  friend bool operator==(const QueueStatus&, const QueueStatus&) = default;
};

/// Returns the status that the queues now have. What the scheduler said of
/// jobs in a queue that is stopped is void.
/// Throws Error{permission} unless the caller is the owner, Error{not_found} for an unknown queue,
/// Error{usage} when queues are configured and none is named.
std::vector<QueueStatus> set_queue(const Session& session, const QueueRequest& request);

/// What is said of a queue whose scheduler threw `reason`.
[[nodiscard]] std::string suspension_text(const std::string& reason);

/// The status of a queue. REQUIRES that it exists.
[[nodiscard]] QueueStatus status_of(records::Queues& queues, const std::string& name);
/// The status of one queue, or of all, by name. Throws Error{not_found}.
[[nodiscard]] std::vector<QueueStatus> queue_status(const store::Reader& reader,
                                                    const std::optional<std::string>& queue);

/// The same with what waits and runs in them.
struct QueueStatusReply {
  std::vector<QueueStatus> queues;
  std::uint64_t waiting = 0;  ///< jobs that wait for resources
  std::uint64_t running = 0;
};
[[nodiscard]] QueueStatusReply queue_status(const Session& session, const std::optional<std::string>& queue);

/// What a queue must come to: without active jobs, or without any that run.
enum class QueueRest : std::uint8_t { empty, idle };
/// Waits until the queue, its virtual queues included, or every queue, has come to rest. Returns false when
/// `timeout_s` passed first. Throws Error{not_found}, Error{refused} for a virtual queue.
[[nodiscard]] bool wait_for_rest(const Session& session, const std::optional<std::string>& queue,
                                 QueueRest rest, double timeout_s);

}  // namespace fq::manager
